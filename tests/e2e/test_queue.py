"""Jobs that wait in a queue, with the real kubectl, the real SDK and real processes."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

from sidings.api import conditions
from tests.e2e.machine import Machine, edited, manifest, wait_for
from tests.e2e.test_sdk import answers
from tests.e2e.training import Training

pytestmark = pytest.mark.e2e

GPUS = "/spec/resourceGroups/0/flavors/0/resources/2/nominalQuota"
TOO_MUCH = (
    "couldn't assign flavors to pod set worker: insufficient quota for nvidia.com/gpu in flavor default-flavor, "
    "previously considered podsets requests (2) + current podset request (4) > maximum capacity (4)"
)
QUEUED_KINDS = "trainjobs,pytorchjobs,jobsets,jobs,pods"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """Three nodes with two simulated GPUs each."""
    it = Machine(tmp_path_factory.mktemp("queue"))
    try:
        it.ok("up", "--nodes", "3", "--cpu", "8", "--memory", "64Gi", "--gpus-per-node", "2", "--simulate-gpus")
        yield it
    finally:
        it.ok("down", "--force")
    assert it.leftovers() == []


@pytest.fixture
def gpus(engine: Machine) -> Iterator[Machine]:
    """A project with a queue for four GPUs."""
    engine.apply(manifest("quota"))
    yield engine
    engine.kubectl("delete", "namespace", "assistants")
    engine.kubectl("delete", "clusterqueue", "assistants-cq")


@pytest.fixture
def cpus(engine: Machine) -> Iterator[Machine]:
    """A queue for two CPUs in the default namespace."""
    engine.apply(manifest("queued-kinds"))
    yield engine
    engine.kubectl("delete", QUEUED_KINDS, "--all", "--now")
    engine.kubectl("delete", "localqueue/team", "clusterqueue/two-cpus", "resourceflavor/linux")


def workload_of(machine: Machine, job: str, namespace: str) -> dict[str, Any]:
    """The Workload of a job or of a pod; empty until it has one."""
    found = json.loads(machine.kubectl("get", "workloads", "-n", namespace, "-o", "json"))["items"]
    return next((item for item in found if item["metadata"]["ownerReferences"][0]["name"] == job), {})


def used(machine: Machine) -> str:
    """The CPUs of the queue that its jobs hold."""
    status = machine.object("clusterqueue", "two-cpus", "")["status"]
    return str(status["flavorsUsage"][0]["resources"][0]["total"])


def condition(machine: Machine, job: str, type_: str, namespace: str = "default") -> tuple[str, str, str]:
    """Status, reason and message on the Workload of a job; empty before it says anything."""
    found = conditions.find((workload_of(machine, job, namespace).get("status") or {}).get("conditions"), type_)
    return (found["status"], found["reason"], found["message"]) if found else ("", "", "")


def test_a_job_beyond_its_quota_waits_and_starts_when_the_quota_is_raised(gpus: Machine) -> None:
    gpus.apply(manifest("queued-pytorchjob"))
    waiting = ("False", "ExceedsMaxQuota", TOO_MUCH)
    wait_for(lambda: condition(gpus, "tune", "QuotaReserved", "assistants") == waiting)
    gpus.wait_for_condition("Suspended", "pytorchjob/tune", "-n", "assistants")
    assert gpus.kubectl("get", "pods", "-n", "assistants", "-o", "name") == ""
    assert gpus.object("pytorchjob", "tune", "assistants")["spec"]["runPolicy"]["suspend"] is True
    wide = gpus.kubectl("get", "clusterqueue,localqueue,workload", "-n", "assistants", "-o", "wide")
    assert re.search(r"COHORT +STRATEGY +PENDING WORKLOADS +ADMITTED WORKLOADS\n\S+ +BestEffortFIFO +1 +0\n", wide)
    assert re.search(r"tuning +assistants-cq +1 +0\n", wide)
    assert re.search(r"pytorchjob-tune-\S+ +tuning +False +\d+s", wide)
    assert TOO_MUCH in gpus.kubectl("describe", "workload", "-n", "assistants")
    table = gpus.ok("get", "-n", "assistants", "-o", "json")
    assert [(job["state"], job["reason"]) for job in json.loads(table)] == [("Queued", f"ExceedsMaxQuota: {TOO_MUCH}")]

    raised = json.dumps([{"op": "replace", "path": GPUS, "value": "6"}])
    gpus.kubectl("patch", "clusterqueue", "assistants-cq", "--type=json", "-p", raised)
    gpus.wait_for_condition("Succeeded", "pytorchjob/tune", "-n", "assistants")
    assert gpus.kubectl("logs", "tune-master-0", "-n", "assistants").splitlines() == ["rank 0 of 6", "rank 1 of 6"]
    wait_for(lambda: condition(gpus, "tune", "Finished", "assistants")[:2] == ("True", "Succeeded"))
    assert gpus.object("pytorchjob", "tune", "assistants")["spec"]["runPolicy"]["suspend"] is False


def test_both_versions_are_one_object(gpus: Machine) -> None:
    gpus.kubectl("patch", "clusterqueue", "assistants-cq", "--type=merge", "-p", '{"spec": {"cohortName": "all"}}')
    gpus.kubectl("wait", "clusterqueue/assistants-cq", "--for=jsonpath={.status.pendingWorkloads}=0", "--timeout=180s")
    old = gpus.kubectl("get", "clusterqueues.v1beta1.kueue.x-k8s.io")
    assert re.search(r"NAME +COHORT +PENDING WORKLOADS\nassistants-cq +all +0\n", old)
    assert '"cohort": "all"' in gpus.kubectl("get", "clusterqueues.v1beta1.kueue.x-k8s.io", "-o", "json")
    explained = gpus.kubectl("explain", "clusterqueue.spec.cohort", "--api-version=kueue.x-k8s.io/v1beta1")
    assert re.search(r"FIELD: cohort <string>", explained)


def test_the_sdk_waits_with_three_workers_and_runs_with_two(gpus: Machine) -> None:
    answers(gpus, "queued_client", "3")
    wait_for(lambda: condition(gpus, "sdk-3", "QuotaReserved", "assistants")[1] == "ExceedsMaxQuota")
    assert condition(gpus, "sdk-3", "QuotaReserved", "assistants")[2] == TOO_MUCH
    answers(gpus, "queued_client", "2")
    gpus.wait_for_condition("Succeeded", "pytorchjob/sdk-2", "-n", "assistants")
    assert "world size" in gpus.kubectl("logs", "sdk-2-master-0", "-n", "assistants")
    assert gpus.object("pytorchjob", "sdk-3", "assistants")["spec"]["runPolicy"]["suspend"] is True


TEMPLATE = """\
restartPolicy: Never
containers:
- {name: NAME, image: python, command: [/bin/sh, -c, "echo done"], resources: {requests: {cpu: 500m}}}
"""


def queued(api_version: str, kind: str, name: str, spec: str, labels: str = "", annotations: str = "") -> str:
    return (
        f"apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: {name}\n"
        f"  annotations: {{{annotations}}}\n"
        f"  labels: {{kueue.x-k8s.io/queue-name: team{labels}}}\nspec:\n{textwrap.indent(spec, '  ')}---\n"
    )


def pods_of(container: str, depth: int) -> str:
    """A pod's spec, indented."""
    return textwrap.indent(TEMPLATE.replace("NAME", container), "  " * depth)


def train_job(name: str, fields: str = "") -> str:
    trainer = 'trainer: {numNodes: 2, command: [/bin/sh, -c, "echo done"], resourcesPerNode: {requests: {cpu: 500m}}}\n'
    spec = f"runtimeRef: {{name: torch-distributed}}\n{trainer}{fields}"
    return queued("trainer.kubeflow.org/v1alpha1", "TrainJob", name, spec)


PATCHES = """\
runtimePatches:
- manager: example.com/team
  trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: {a: b}}}}]}}}
"""
OVERRIDES = """\
podTemplateOverrides:
- targetJobs: [{name: node}]
  spec: {serviceAccountName: default}
"""
JOB = f"parallelism: 2\ncompletions: 2\ntemplate:\n  spec:\n{pods_of('main', 2)}"
REPLICAS = "{role}:\n    replicas: 1\n    template:\n      spec:\n"
OF_EVERY_KIND = "".join(
    [
        train_job("tj"),
        train_job("tj-patches", PATCHES),
        train_job("tj-overrides", OVERRIDES),
        queued(
            "jobset.x-k8s.io/v1alpha2",
            "JobSet",
            "js",
            "replicatedJobs:\n- name: main\n  template:\n    spec:\n      template:\n        spec:\n"
            + pods_of("main", 5),
        ),
        queued("batch/v1", "Job", "job", JOB),
        queued(
            "kubeflow.org/v1",
            "PyTorchJob",
            "pt",
            "runPolicy: {cleanPodPolicy: All}\npytorchReplicaSpecs:\n"
            f"  {REPLICAS.format(role='Master')}{pods_of('pytorch', 4)}"
            f"  {REPLICAS.format(role='Worker')}{pods_of('pytorch', 4)}",
        ),
        queued("v1", "Pod", "pod", pods_of("main", 0)),
        *(
            queued(
                "v1",
                "Pod",
                name,
                pods_of("main", 0),
                labels=", kueue.x-k8s.io/pod-group-name: group",
                annotations='kueue.x-k8s.io/pod-group-total-count: "2"',
            )
            for name in ("member-a", "member-b")
        ),
    ]
)


def test_every_kind_goes_through_a_queue(cpus: Machine) -> None:
    cpus.apply(OF_EVERY_KIND)

    def finished() -> list[bool]:
        found = [item.get("status") or {} for item in cpus.objects("workloads")]
        return [conditions.is_true({"status": status}, "Finished") for status in found]

    wait_for(lambda: len(finished()) == 8 and all(finished()), 120)
    for item in cpus.objects("workloads"):
        assert conditions.find(item["status"]["conditions"], "Finished")["reason"] == "Succeeded", item  # type: ignore[index]
    for kind, type_ in (("trainjobs", "Complete"), ("jobsets", "Completed"), ("pytorchjobs", "Succeeded")):
        cpus.wait_for_condition(type_, kind, "--all")
    wait_for(lambda: len(cpus.objects("pods")) == 3 * 2 + 1 + 2 + 3)
    pods = cpus.objects("pods")
    assert {pod["status"]["phase"] for pod in pods} == {"Succeeded"}, "a PyTorchJob's are cleaned up"
    assert all(pod["spec"]["nodeSelector"]["kubernetes.io/os"] == "linux" for pod in pods)
    wait_for(lambda: used(cpus) == "0")


def test_one_that_makes_room_goes_on_from_its_checkpoint(cpus: Machine) -> None:
    training = Training(cpus.folder / "training")
    text = edited(training.manifest("tuning"), "{name: tuning}\nspec", "{name: tuning, labels: QUEUE}\nspec")
    text = edited(text, "QUEUE", "{kueue.x-k8s.io/queue-name: team}")
    cpus.apply(edited(text, "numProcPerNode: 1}", "numProcPerNode: 1, resourcesPerNode: {requests: {cpu: 1}}}"))
    wait_for(lambda: training.step >= 3, 120)

    urgent = JOB.replace("echo done", "exec sleep 3").replace("500m", "1")
    cpus.apply(queued("batch/v1", "Job", "urgent", urgent, labels=", kueue.x-k8s.io/priority-class: urgent"))
    wait_for(lambda: condition(cpus, "tuning", "Preempted")[1] == "InClusterQueue")
    cpus.wait_for_condition("Complete", "job/urgent")
    reached = training.step
    wait_for(lambda: training.step > reached, 120)
    training.end()
    cpus.wait_for_condition("Complete", "trainjob/tuning")
    log = cpus.kubectl("logs", "-l", "jobset.sigs.k8s.io/jobset-name=tuning", "--tail=-1")
    starts = set(re.findall(r"starts after step (\d+)", log))
    assert starts == {str(reached)}, "it went on where it had stopped"
    assert workload_of(cpus, "tuning", "default")["status"]["schedulingStats"]["evictions"][0]["count"] == 1
    assert cpus.object("jobset", "tuning")["status"]["restarts"] == 0, "an eviction is no restart"


def test_a_queue_in_use_goes_when_its_jobs_have_gone(cpus: Machine) -> None:
    running = JOB.replace("echo done", "exec sleep 600")
    cpus.apply(queued("batch/v1", "Job", "long", running))
    wait_for(lambda: condition(cpus, "long", "Admitted")[0] == "True")
    cpus.kubectl("delete", "clusterqueue", "two-cpus", "--wait=false")
    cpus.apply(queued("batch/v1", "Job", "late", JOB))
    wait_for(lambda: "two-cpus" in condition(cpus, "late", "QuotaReserved")[2])
    assert condition(cpus, "long", "Admitted")[0] == "True", "what runs is left alone"
    cpus.kubectl("delete", "job", "long")
    cpus.kubectl("wait", "--for=delete", "clusterqueue/two-cpus", "--timeout=100s")
    cpus.apply(manifest("queued-kinds"))
    cpus.wait_for_condition("Complete", "job/late")


LONG = JOB.replace("echo done", "exec sleep 600").replace("500m", "1")


def states(machine: Machine) -> dict[str, str]:
    """What `sidings get` says of each job."""
    return {job["name"]: job["state"] for job in json.loads(machine.ok("get", "-o", "json"))}


def test_a_job_that_waits_is_resumed_by_nobody_but_its_queue(cpus: Machine) -> None:
    cpus.apply(queued("batch/v1", "Job", "first", LONG))
    wait_for(lambda: states(cpus)["first"] == "Running")
    cpus.apply(queued("batch/v1", "Job", "second", LONG))
    wait_for(lambda: condition(cpus, "second", "QuotaReserved")[1] == "WaitingForQuota")
    refused = cpus.sidings("resume", "second")
    assert refused.returncode == 6
    assert 'Job "second" is not suspended by anybody: it waits in LocalQueue default/team' in refused.stderr
    assert "insufficient unused quota for cpu in flavor linux, 2 more needed" in refused.stderr
    assert "sidings why second" in refused.stderr

    assert "LocalQueue default/team passes it by" in cpus.sidings("suspend", "second").stderr
    cpus.ok("suspend", "first")
    wait_for(lambda: states(cpus) == {"first": "Suspended", "second": "Suspended"} and used(cpus) == "0")
    assert condition(cpus, "second", "QuotaReserved")[1:] == ("Deactivated", "The workload is deactivated")
    cpus.ok("resume", "second")
    wait_for(lambda: states(cpus) == {"first": "Suspended", "second": "Running"})
    assert "LocalQueue default/team starts it when it has quota" in cpus.sidings("resume", "first").stderr
    wait_for(lambda: states(cpus) == {"first": "Queued", "second": "Running"})


def test_down_lets_jobs_of_a_queue_sleep(machine: Machine) -> None:
    """None of them starts with the room that another leaves."""
    up = ("up", "--nodes", "1", "--cpu", "8", "--memory", "8Gi")
    machine.ok(*up)
    machine.apply(manifest("queued-kinds"))
    for name in ("first", "second"):
        machine.apply(queued("batch/v1", "Job", name, LONG))
    running_and_waiting = ["Queued", "Running"]
    wait_for(lambda: sorted(states(machine).values()) == running_and_waiting)
    machine.ok("down", "--suspend")
    assert machine.leftovers() == []
    machine.ok(*up)
    wait_for(lambda: sorted(states(machine).values()) == running_and_waiting)
