"""The JobSet controller together with the Job controller and garbage collection, on virtual time."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, NamedTuple

import pytest

from sidings.api import conditions, objects
from sidings.api.feature_gates import ALL
from sidings.api.jobset import elastic, labels
from sidings.api.objects import Key, Object
from sidings.api.resources import CLAIMS, EVENTS, JOB_SETS, JOBS, NAMESPACES, PODS, SERVICES, Resource
from sidings.api.status import ApiError, NotFound
from sidings.client.interface import Client
from sidings.clock import LoopClock
from sidings.controllers.jobset.controller import JobSetController
from tests.conformance.scripted_kubelet import ScriptedKubelet
from tests.conformance.world import world
from tests.controllers.jobset.cluster import group

pytestmark = pytest.mark.looptime


class Cluster(NamedTuple):
    client: Client
    kubelet: ScriptedKubelet

    async def create(self, *groups: Object, **spec: Any) -> None:
        jobset = {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "js"},
            "spec": {"replicatedJobs": list(groups) or [group("a"), group("b", 2)], **spec},
        }
        for replicated_job in jobset["spec"]["replicatedJobs"]:  # type: ignore[index]
            replicated_job["template"]["spec"].setdefault("backoffLimit", 0)
        await self.client.create(JOB_SETS, jobset, namespace="ns")
        await settle()

    async def jobset(self) -> Object:
        return await self.client.get(JOB_SETS, "js", "ns")

    async def jobs(self) -> list[str]:
        return [objects.name_of(job) for job in (await self.client.list(JOBS, "ns")).items]

    async def act(self, action: str, *prefixes: str) -> None:
        """On the pods that still run and whose names start with one of ``prefixes`` (all pods without one)."""
        for pod in (await self.client.list(PODS, "ns")).items:
            ended = pod["status"]["phase"] in ("Succeeded", "Failed")
            if not ended and objects.name_of(pod).startswith(prefixes or ("",)):
                await self.kubelet.act(objects.name_of(pod), action, {})
        await settle()

    async def patch(self, **spec: Any) -> None:
        await self.client.patch(JOB_SETS, "js", {"spec": spec}, namespace="ns")
        await settle()

    async def resize(self, size: int, **spec: Any) -> None:
        """The first group, beside other changes of ``spec``."""
        groups = objects.copy_of((await self.jobset())["spec"]["replicatedJobs"])
        groups[0]["template"]["spec"] |= dict.fromkeys(elastic.SIZE, size)
        await self.patch(replicatedJobs=groups, **spec)

    async def reach(self, pod: str, attempt: int) -> None:
        """What the agent of a pod that restarts in place writes."""
        body = {"metadata": {"annotations": {labels.IN_PLACE_RESTART_ATTEMPT: str(attempt)}}}
        await self.client.patch(PODS, pod, body, namespace="ns")
        await settle()

    async def events(self, reason: str) -> list[str]:
        return [e["message"] for e in (await self.client.list(EVENTS, "ns")).items if e["reason"] == reason]


async def settle(seconds: float = 2) -> None:
    await asyncio.sleep(seconds)


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with world(gates=ALL) as (client, clock, _):
        await client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}})
        kubelet = ScriptedKubelet(client, clock, "ns")
        terminating = asyncio.create_task(kubelet.terminate_deleted_pods())
        yield Cluster(client, kubelet)
        terminating.cancel()
        await asyncio.wait([terminating])


async def test_from_creation_to_completion(cluster: Cluster) -> None:
    await cluster.create()
    assert await cluster.jobs() == ["js-a-0", "js-b-0", "js-b-1"]
    assert (await cluster.client.get(SERVICES, "js", "ns"))["spec"]["clusterIP"] == "None"
    await cluster.act("ready")
    assert [s["ready"] for s in (await cluster.jobset())["status"]["replicatedJobsStatus"]] == [2, 1]
    await cluster.act("succeed")
    assert conditions.is_true(await cluster.jobset(), "Completed")
    assert await cluster.events("AllJobsCompleted") == ["jobset completed successfully"]


async def test_a_failure_restarts_all_jobs(cluster: Cluster) -> None:
    await cluster.create(failurePolicy={"maxRestarts": 1})
    before = {objects.uid_of(job) for job in (await cluster.client.list(JOBS, "ns")).items}
    await cluster.act("ready")
    await cluster.act("fail", "js-b-0")
    jobset = await cluster.jobset()
    assert (jobset["status"]["restarts"], jobset["status"]["restartsCountTowardsMax"]) == (1, 1)
    jobs = (await cluster.client.list(JOBS, "ns")).items
    assert len(jobs) == 3 and not before & {objects.uid_of(job) for job in jobs}
    [why] = await cluster.events("FirstFailure")
    assert why.startswith("Job js-b-0, pod js-b-0-0-")
    assert why.endswith(": container main exited with 1 (Error)")
    await cluster.act("ready")
    condition = conditions.find((await cluster.jobset())["status"]["conditions"], "RestartingJobSet")
    assert condition is not None and condition["reason"] == "JobsReady"
    await cluster.act("fail", "js-a-0")
    assert conditions.is_true(await cluster.jobset(), "Failed")


async def test_the_cause_is_told_of_a_pod_that_its_job_takes_away(cluster: Cluster) -> None:
    restarting = group("a")
    restarting["template"]["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure"
    await cluster.create(restarting)
    await cluster.act("ready")
    [pod] = (await cluster.client.list(PODS, "ns")).items
    await cluster.kubelet.act(objects.name_of(pod), "restart", {"exitCode": 3})
    await settle(60)
    assert conditions.is_true(await cluster.jobset(), "Failed")
    assert (await cluster.client.list(PODS, "ns")).items == []
    told = f"Job js-a-0, pod {objects.name_of(pod)}: container main exited with 3 (Error)"
    assert await cluster.events("FirstFailure") == [told]


async def test_a_dependant_starts_when_its_dependency_is_complete(cluster: Cluster) -> None:
    await cluster.create(group("a"), group("b", dependsOn=[{"name": "a", "status": "Complete"}]))
    assert await cluster.jobs() == ["js-a-0"]
    await cluster.act("succeed")
    assert await cluster.jobs() == ["js-a-0", "js-b-0"]


async def test_suspend_and_resume_elsewhere(cluster: Cluster) -> None:
    await cluster.create(group("a"))
    await cluster.act("ready")
    await cluster.patch(suspend=True)
    assert (await cluster.client.list(PODS, "ns")).items == []
    moved = (await cluster.jobset())["spec"]["replicatedJobs"]
    moved = objects.copy_of(moved)
    moved[0]["template"]["spec"]["template"]["spec"]["nodeSelector"] = {"disk": "ssd"}
    await cluster.patch(replicatedJobs=moved, suspend=False)
    (pod,) = (await cluster.client.list(PODS, "ns")).items
    assert pod["spec"]["nodeSelector"] == {"disk": "ssd"}
    assert not conditions.is_true(await cluster.jobset(), "Suspended")


async def test_a_job_that_cannot_be_created_is_told_and_tried_again(cluster: Cluster) -> None:
    bad = group("a")
    del bad["template"]["spec"]["completions"]
    bad["template"]["spec"]["parallelism"] = 2
    await cluster.create(bad)
    (message,) = await cluster.events("JobCreationFailed")
    assert message == (
        'job "js-a-0" creation failed with error: Job.batch "js-a-0" is invalid: spec.completions: Required value: '
        "when completion mode is Indexed"
    )
    assert "status" not in await cluster.jobset()


async def test_a_job_that_cannot_be_resized_is_told_until_it_can(cluster: Cluster) -> None:
    """A set that was resumed and does not start says why, and starts once the size is one that its Jobs can have."""
    made = group("a")
    made["template"]["spec"] |= {"backoffLimitPerIndex": 0, "maxFailedIndexes": 2, "parallelism": 2, "completions": 2}
    await cluster.create(made, suspend=True)
    await cluster.resize(1, suspend=False)
    assert await cluster.events("JobUpdateFailed") == [
        'job "js-a-0" update failed with error: Job.batch "js-a-0" is invalid: spec.maxFailedIndexes: Invalid value: '
        "2: must be less than or equal to completions"
    ]
    assert (await cluster.client.list(PODS, "ns")).items == []
    await cluster.resize(3)
    assert len((await cluster.client.list(PODS, "ns")).items) == 3
    assert not conditions.is_true(await cluster.jobset(), "Suspended")


async def test_why_containers_start_again_in_their_pods_is_told(cluster: Cluster) -> None:
    made = group("a")
    made["template"]["spec"] |= {"parallelism": 2, "completions": 2, "podReplacementPolicy": "Failed"}
    made["template"]["spec"]["backoffLimit"] = 2**31 - 1
    await cluster.create(made, failurePolicy={"maxRestarts": 1, "restartStrategy": "InPlaceRestart"})
    await cluster.act("ready")
    first, second = [objects.name_of(pod) for pod in (await cluster.client.list(PODS, "ns")).items]
    for name in (first, second):
        await cluster.reach(name, 0)
    await cluster.kubelet.act(second, "restart", {"exitCode": 3})
    await cluster.reach(second, 1)
    told = f"Restart in place: Job js-a-0, pod {second}: container main exited with 3 (Error)"
    assert await cluster.events("FirstFailure") == [told]
    await cluster.reach(first, 1)
    await cluster.kubelet.act(first, "restart", {"exitCode": 4})
    await cluster.reach(first, 2)
    assert conditions.is_true(await cluster.jobset(), "Failed")
    assert await cluster.events("FirstFailure") == [told, told.replace(second, first).replace("with 3", "with 4")]


async def test_deleting_a_jobset_takes_everything_but_retained_claims(cluster: Cluster) -> None:
    made = group("a")
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    names = ("gone", "kept")
    made["template"]["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = [
        {"name": name, "mountPath": f"/{name}"} for name in names
    ]
    policies = [
        {"templates": [{"metadata": {"name": name}, "spec": claim}], "retentionPolicy": {"whenDeleted": when}}
        for name, when in zip(names, ("Delete", "Retain"), strict=True)
    ]
    await cluster.create(made, volumeClaimPolicies=policies)
    await cluster.client.delete(JOB_SETS, "js", "ns", propagation_policy="Foreground")
    await settle(5)
    assert await cluster.jobs() == []
    assert [objects.name_of(c) for c in (await cluster.client.list(CLAIMS, "ns")).items] == ["kept-js"]
    with pytest.raises(NotFound):
        await cluster.jobset()


async def test_a_jobset_managed_by_somebody_else_is_left_alone(cluster: Cluster) -> None:
    await cluster.create(managedBy="acme.io/foo")
    assert await cluster.jobs() == []
    assert "status" not in await cluster.jobset()


async def test_a_finished_jobset_deletes_itself(cluster: Cluster) -> None:
    await cluster.create(ttlSecondsAfterFinished=30)
    await cluster.act("succeed")
    await settle(40)
    assert await cluster.jobs() == []


class DeletedMeanwhile:
    """A client on which the JobSet goes, with all its Jobs, right after it was read."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.created: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    async def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        found = await self.client.get(resource, name, namespace)
        if resource == JOB_SETS:
            await self.client.delete(resource, name, namespace, propagation_policy="Background")
            await settle()
        return found

    async def create(self, resource: Resource, obj: Object, **options: Any) -> Object:
        self.created.append(f"{resource.kind} {objects.name_of(obj)}")
        return await self.client.create(resource, obj, **options)


async def test_a_jobset_that_is_deleted_while_it_is_looked_at_gets_no_new_jobs(cluster: Cluster) -> None:
    await cluster.create()
    late = DeletedMeanwhile(cluster.client)
    controller = JobSetController(late, LoopClock(), random.Random(1))  # type: ignore[arg-type]
    with suppress(ApiError):  # the status of what is gone cannot be written
        await controller.reconcile(Key("ns", "js"))
    assert await cluster.jobs() == []
    assert [name for name in late.created if name.startswith("Job ")] == []
