"""The life of a TrainJob (cases C1 to C21 of Trainer 2.3)."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object, controller_of
from sidings.api.resources import CONFIG_MAPS, JOB_SETS, SECRETS, TRAIN_JOBS, TRAINING_RUNTIMES, VOLCANO_POD_GROUPS
from sidings.api.status import NotFound
from tests.controllers.trainjob.conftest import World
from tests.trainjobs import NAMESPACE, patch, pod_patch, replicated_job, runtime, train_job, trainer_job

pytestmark = pytest.mark.looptime

COMPLETED = {
    "type": "Completed",
    "status": "True",
    "reason": "AllJobsCompleted",
    "message": "jobset completed successfully",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}
FAILED = COMPLETED | {
    "type": "Failed",
    "reason": "FailedJobs",
    "message": "jobset failed due to one or more job failures",
}


def image_of(job_set: Object | None) -> str:
    assert job_set is not None
    pod_spec = job_set["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return str(pod_spec["containers"][0]["image"])


async def change_image(world: World, image: str) -> None:
    job = runtime(trainer_job(image=image))["spec"]["template"]["spec"]["replicatedJobs"]
    body = {"spec": {"template": {"spec": {"replicatedJobs": job}}}}
    await world.client.patch(TRAINING_RUNTIMES, "rt", body, namespace=NAMESPACE)


async def test_running_job_has_a_job_set_and_no_condition(world: World) -> None:
    await world.submit(train_job({"numNodes": 2}))
    job_set = await world.job_set()
    assert job_set is not None
    assert job_set["spec"]["suspend"] is False
    owner = controller_of(job_set)
    assert owner is not None
    assert (owner["kind"], owner["uid"]) == ("TrainJob", (await world.job())["metadata"]["uid"])
    assert await world.conditions() == []
    assert await world.events() == []


async def test_suspend_and_resume(world: World) -> None:
    await world.submit(train_job({}, suspend=True))
    assert (await world.job_set() or {})["spec"]["suspend"] is True
    assert await world.conditions() == [("Suspended", "True", "Suspended")]
    await world.patch({"suspend": False})
    assert (await world.job_set() or {})["spec"]["suspend"] is False
    assert await world.conditions() == [("Suspended", "False", "Resumed")]
    await world.patch({"suspend": True})
    assert (await world.job_set() or {})["spec"]["suspend"] is True
    assert await world.conditions() == [("Suspended", "True", "Suspended")]


async def test_suspended_job_set_is_not_written_again_and_again(world: World) -> None:
    await world.submit(train_job({}, suspend=True))
    before = await world.job_set()
    await world.client.patch(TRAIN_JOBS, "tj", {"metadata": {"labels": {"a": "b"}}}, namespace=NAMESPACE)
    await world.settle(100)
    assert await world.job_set() == before


@pytest.mark.parametrize(("end", "condition"), [(COMPLETED, "Complete"), (FAILED, "Failed")])
async def test_end_is_copied_and_outlives_the_job_set(world: World, end: Object, condition: str) -> None:
    await world.submit(train_job({}))
    rows = [{"name": "node", "active": 0, "ready": 0, "succeeded": 1, "failed": 0, "suspended": 0}]
    await world.set_job_set_status({"conditions": [end], "replicatedJobsStatus": rows, "restarts": 0})
    status = (await world.job())["status"]
    assert status["conditions"] == [end | {"type": condition}]
    assert status["jobsStatus"] == rows
    await world.client.delete(JOB_SETS, "tj", NAMESPACE)
    await world.settle()
    assert (await world.job())["status"] == status
    assert await world.job_set() is None


async def test_deleted_job_set_of_a_running_job_comes_back(world: World) -> None:
    await world.submit(train_job({}))
    await world.client.delete(JOB_SETS, "tj", NAMESPACE)
    await world.settle()
    assert await world.job_set() is not None


async def test_deadline(world: World) -> None:
    await world.submit(train_job({}, activeDeadlineSeconds=60))
    await world.settle(58)
    assert await world.job_set() is not None
    await world.settle(4)
    assert await world.job_set() is None
    assert await world.conditions() == [("Failed", "True", "DeadlineExceeded")]


async def test_deadline_stands_still_while_suspended(world: World) -> None:
    await world.submit(train_job({}, activeDeadlineSeconds=60, suspend=True))
    await world.settle(1000)
    await world.patch({"suspend": False})
    await world.settle(50)
    assert await world.conditions() == [("Suspended", "False", "Resumed")]
    await world.settle(20)
    assert await world.conditions() == [("Suspended", "False", "Resumed"), ("Failed", "True", "DeadlineExceeded")]


async def test_job_of_another_controller_is_left_alone(world: World) -> None:
    await world.submit(train_job({}, managedBy="kueue.x-k8s.io/multikueue", suspend=True))
    assert await world.job_set() is None
    assert "status" not in await world.job()


async def test_patches_of_a_suspended_job_take_effect_on_resume(world: World) -> None:
    await world.submit(train_job({}, suspend=True, runtimePatches=[patch(pod_patch({"nodeSelector": {"a": "1"}}))]))
    await world.patch({"runtimePatches": [patch(pod_patch({"nodeSelector": {"a": "2"}}))], "suspend": False})
    job_set = await world.job_set()
    assert job_set is not None
    pod_spec = job_set["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    assert pod_spec["nodeSelector"] == {"a": "2"}
    assert job_set["spec"]["suspend"] is False


async def test_runtime_may_change_or_go(world: World) -> None:
    await world.submit(train_job({}, suspend=True))
    await change_image(world, "img:2")
    await world.patch({"suspend": False})
    assert image_of(await world.job_set()) == "img:1"
    await world.client.delete(TRAINING_RUNTIMES, "rt", NAMESPACE)
    await world.client.delete(JOB_SETS, "tj", NAMESPACE)
    await world.settle()
    assert image_of(await world.job_set()) == "img:1"


async def test_deleted_snapshot_is_taken_anew(world: World) -> None:
    await world.submit(train_job({}))
    await change_image(world, "img:2")
    await world.client.delete(CONFIG_MAPS, "tj-runtime-snapshot", NAMESPACE)
    await world.settle()
    config_map = await world.client.get(CONFIG_MAPS, "tj-runtime-snapshot", NAMESPACE)
    assert "image: img:2" in config_map["data"]["runtime"]
    assert image_of(await world.job_set()) == "img:1"


async def test_foreign_snapshot_stops_the_job_and_is_told(world: World) -> None:
    foreign = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "tj-runtime-snapshot"}}
    await world.client.create(CONFIG_MAPS, foreign, namespace=NAMESPACE)
    await world.submit(train_job({}))
    assert await world.job_set() is None
    assert await world.conditions() == []
    assert await world.events() == [
        (
            "Warning",
            "TrainJobResourcesCreationFailed",
            "TrainJob resources reconciliation failed: unable to get runtime snapshot: invalid runtime snapshot: a "
            "snapshot configmap exists but is owned by another object",
        )
    ]
    await world.client.delete(CONFIG_MAPS, "tj-runtime-snapshot", NAMESPACE)
    await world.settle(10)
    assert await world.job_set() is not None, "it is tried again"


async def test_refused_job_set_is_told_and_tried_again(world: World) -> None:
    claims = [{"templates": [{"metadata": {"name": "c"}, "spec": {}}] * 2}]
    made = runtime(name="twice", volumeClaimPolicies=claims)
    await world.client.create(TRAINING_RUNTIMES, made, namespace=NAMESPACE)
    await world.submit(train_job({}, runtime_name="twice"))
    assert await world.job_set() is None
    type_, reason, message = (await world.events())[0]
    assert (type_, reason) == ("Warning", "TrainJobResourcesCreationFailed")
    assert message.startswith(
        'TrainJob resources reconciliation failed: admission webhook "vjobset.kb.io" denied the request: '
        "JobSet.jobset.x-k8s.io"
    )


async def test_missing_software_is_told_once(world: World) -> None:
    made = runtime(name="gang")
    made["spec"]["podGroupPolicy"] = {"volcano": {}}
    await world.client.create(TRAINING_RUNTIMES, made, namespace=NAMESPACE)
    await world.submit(train_job({}, runtime_name="gang", suspend=True))
    await world.patch({"suspend": False})
    assert [reason for _, reason, _ in await world.events()] == ["GangSchedulerMissing"]
    assert (await world.client.get(VOLCANO_POD_GROUPS, "tj", NAMESPACE))["spec"]["minMember"] == 1


async def test_running_job_set_is_left_alone_when_it_drifts(world: World) -> None:
    await world.submit(train_job({}))
    await world.client.patch(JOB_SETS, "tj", {"metadata": {"labels": {"mine": "1"}}}, namespace=NAMESPACE)
    await world.settle()
    job_set = await world.job_set()
    assert job_set is not None
    assert job_set["metadata"]["labels"] == {"mine": "1"}


async def test_keys_of_mpi_are_made_once(world: World) -> None:
    jobs = [replicated_job("node"), trainer_job("launcher")]
    await world.client.create(TRAINING_RUNTIMES, runtime(*jobs, policy={"mpi": {}}, name="mpi"), namespace=NAMESPACE)
    await world.submit(train_job({"numNodes": 2}, runtime_name="mpi", suspend=True))
    secret = await world.client.get(SECRETS, "tj-mpi-ssh-auth", NAMESPACE)
    await world.patch({"suspend": False})
    assert await world.client.get(SECRETS, "tj-mpi-ssh-auth", NAMESPACE) == secret
    config_map = await world.client.get(CONFIG_MAPS, "tj-mpi-hostfile", NAMESPACE)
    assert config_map["data"] == {"hostfile": "tj-node-0-0.tj slots=1\ntj-node-0-1.tj slots=1\n"}


async def test_job_that_is_gone_is_forgotten(world: World) -> None:
    await world.submit(train_job({}))
    await world.client.delete(TRAIN_JOBS, "tj", NAMESPACE)
    await world.settle()
    with pytest.raises(NotFound):
        await world.job()
