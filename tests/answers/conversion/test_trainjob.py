from __future__ import annotations

import random
from typing import Any

import pytest

from sidings.answers.conversion.finding import NotConvertible
from sidings.answers.conversion.trainjob import convert
from sidings.api import catalog
from sidings.api.objects import Object, copy_of
from sidings.api.options import WriteOptions
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, JOB_SETS
from sidings.clock import ManualClock
from sidings.controllers.trainjob import job_set, profiles
from sidings.registry.admission import defaults
from sidings.registry.registry import Registry
from sidings.store.store import Store
from tests.answers.conversion.jobs import TORCHRUN, container, fields_of, other, pods, torch

OPTIONS = WriteOptions(field_manager="test")
STRICT = WriteOptions(field_manager="test", field_validation="Strict")


def trainer(job: Object) -> Any:
    return convert(job).documents[-1]["spec"]["trainer"]


def test_a_plain_job_needs_the_shared_runtime_only() -> None:
    (made,) = convert(torch(nprocPerNode="2", metadata={"labels": {"kueue.x-k8s.io/queue-name": "q"}})).documents
    assert made["metadata"] == {"name": "old", "labels": {"kueue.x-k8s.io/queue-name": "q"}}
    assert made["spec"] == {
        "runtimeRef": {"kind": "ClusterTrainingRuntime", "name": "torch-distributed"},
        "trainer": {
            "numNodes": 3,
            "numProcPerNode": 2,
            "image": "img:1",
            "command": TORCHRUN,
            "env": [{"name": "PYTHONUNBUFFERED", "value": "1"}],
        },
    }


def test_the_job_itself_is_not_changed() -> None:
    job = torch({"Master": pods(pod={"nodeSelector": {"a": "b"}})})
    before = copy_of(job)
    convert(job)
    assert job == before


def test_a_plain_script_is_told_its_rank_by_the_job() -> None:
    conversion = convert(torch({"Master": pods(1, container(command=["python", "x.py"]))}))
    names = [variable["name"] for variable in conversion.documents[-1]["spec"]["trainer"]["env"]]
    assert names == ["PYTHONUNBUFFERED", "MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"]
    assert "changed env" in fields_of(conversion.findings)


def test_the_operators_variables_win_over_own_ones_as_before() -> None:
    own = [{"name": "WORLD_SIZE", "value": "9"}, {"name": "MINE", "value": "$(WORLD_SIZE)"}]
    conversion = convert(torch({"Master": pods(1, container(command=["python", "x.py"], env=own))}))
    env = conversion.documents[-1]["spec"]["trainer"]["env"]
    assert [variable for variable in env if variable["name"] in ("WORLD_SIZE", "MINE")] == [
        {"name": "WORLD_SIZE", "value": "1"},
        own[1],
    ]
    assert "changed env WORLD_SIZE" in fields_of(conversion.findings)


def test_torchrun_that_is_told_its_place_by_variables_finds_them() -> None:
    line = ["torchrun", "--nnodes=$(WORLD_SIZE)", "--node_rank=$(RANK)", "--master_addr=$(MASTER_ADDR)", "x.py"]
    names = [variable["name"] for variable in trainer(torch({"Master": pods(1, container(command=line))}))["env"]]
    assert {"WORLD_SIZE", "RANK", "MASTER_ADDR"} <= set(names)


def test_workers_without_a_master_were_told_no_rank() -> None:
    env = trainer(torch({"Worker": pods(2, container(command=["python", "x.py"]))}))["env"]
    assert [variable["name"] for variable in env] == ["PYTHONUNBUFFERED"]


def test_the_old_field_for_processes_counts_as_well() -> None:
    assert trainer(torch({"Worker": pods(2)}, elasticPolicy={"nProcPerNode": 4}))["numProcPerNode"] == 4


def test_ports_get_names_because_trainer_takes_nameless_ones_for_the_same() -> None:
    ports = [{"containerPort": 8080}, {"containerPort": 9090}, {"name": "web", "containerPort": 80}]
    (made, _) = convert(torch({"Master": pods(1, container(ports=ports))})).documents
    [part] = made["spec"]["template"]["spec"]["replicatedJobs"]
    [found] = part["template"]["spec"]["template"]["spec"]["containers"]
    assert [port["name"] for port in found["ports"]] == ["port-8080", "port-9090", "web"]


def test_reserved_variables_are_lost() -> None:
    conversion = convert(torch({"Master": pods(1, container(env=[{"name": "PET_NNODES", "value": "1"}]))}))
    names = [variable["name"] for variable in conversion.documents[-1]["spec"]["trainer"]["env"]]
    assert "PET_NNODES" not in names
    assert "lost env PET_NNODES" in fields_of(conversion.findings)


def test_an_elastic_job_gets_its_highest_number_of_workers() -> None:
    conversion = convert(torch({"Worker": pods(2)}, elasticPolicy={"minReplicas": 1, "maxReplicas": 4}))
    assert conversion.documents[-1]["spec"]["trainer"]["numNodes"] == 4
    assert "lost spec.elasticPolicy" in fields_of(conversion.findings)


def test_auto_is_left_to_the_runtime_and_words_are_lost() -> None:
    assert "numProcPerNode" not in trainer(torch(nprocPerNode="auto"))
    assert "lost spec.nprocPerNode" in fields_of(convert(torch(nprocPerNode="gpu")).findings)


def test_volumes_need_a_runtime_which_comes_first() -> None:
    volumes = [{"name": "v", "emptyDir": {}}]
    master = pods(1, container(volumeMounts=[{"name": "v", "mountPath": "/v"}]), pod={"volumes": volumes})
    made, job = convert(torch({"Master": master})).documents
    assert made["kind"] == "TrainingRuntime"
    assert job["spec"]["runtimeRef"] == {"kind": "TrainingRuntime", "name": "old"}


@pytest.mark.parametrize(
    ("job", "why"),
    [
        (
            torch({"Master": pods(), "Worker": pods(1, container(image="other"))}),
            r"different pod templates \(template.spec.containers\[0\].image\)",
        ),
        (torch({"Master": pods(), "Worker": pods(restartPolicy="Never")}), "different restart policies"),
        ({**torch(), "apiVersion": "v1"}, "no job of the Training Operator"),
        (torch({"Master": pods(2)}), "the Training Operator refuses it: .*must be 1"),
        ({**torch(), "spec": None}, "the Training Operator refuses it: .*must be required"),
        (torch(metadata={"name": "n" * 60}), "shorten metadata.name to 48 characters"),
        (other("PaddleJob", "paddle", "paddleReplicaSpecs", Master=1, Worker=1), "a PaddleJob with a Master"),
        (other("MPIJob", "mpi", "mpiReplicaSpecs", Worker=1), "Master ReplicaSpec must be present"),
    ],
)
def test_some_jobs_have_no_successor(job: Object, why: str) -> None:
    with pytest.raises(NotConvertible, match=why):
        convert(job)


PYTHON = ["python", "x.py"]
VOLUMES: Object = {"volumes": [{"name": "v", "emptyDir": {}}], "serviceAccountName": "s", "hostNetwork": True}
MOUNTS: Object = {
    "volumeMounts": [{"name": "v", "mountPath": "/v"}],
    "ports": [{"containerPort": 1}, {"containerPort": 2}],
}
UNSEEN = {
    "on failure": torch({"Master": pods(restartPolicy="OnFailure", pod={"nodeSelector": {"a": "b"}})}),
    "never": torch({"Master": pods(restartPolicy="Never")}, runPolicy={"ttlSecondsAfterFinished": 5, "suspend": True}),
    "exit codes": torch({"Worker": pods(2, restartPolicy="ExitCode")}, runPolicy={"backoffLimit": 2}),
    "always": torch({"Master": pods(restartPolicy="Always")}, runPolicy={"activeDeadlineSeconds": 5}),
    "elastic": torch({"Worker": pods(2)}, elasticPolicy={"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d"}),
    "plain": torch({"Master": pods(1, container(command=PYTHON, env=[{"name": "RANK", "value": "7"}]))}),
    "volumes": torch({"Master": pods(1, container(**MOUNTS), container("side"), pod=VOLUMES)}),
    "clean": torch(runPolicy={"cleanPodPolicy": "All", "schedulingPolicy": {"queue": "q", "minAvailable": 1}}),
    "queued": torch(metadata={"labels": {"kueue.x-k8s.io/queue-name": "q"}}, runPolicy={"suspend": True}),
    "secret": torch({"Master": pods(1, container(envFrom=[{"secretRef": {"name": "s"}}], workingDir="/w"))}),
    "resources": torch({"Master": pods(1, container(resources={"limits": {"nvidia.com/gpu": 1}}))}, nprocPerNode="gpu"),
    "init": torch({"Master": pods(1, pod={"initContainers": [{"name": "i", "image": "i", "command": ["true"]}]})}),
    "xgboost": other("XGBoostJob", "xgboost", "xgbReplicaSpecs", Master=1, Worker=2),
    "jax": other("JAXJob", "jax", "jaxReplicaSpecs", Worker=2),
    "paddle": other("PaddleJob", "paddle", "paddleReplicaSpecs", Worker=2),
    "tensorflow": other("TFJob", "tensorflow", "tfReplicaSpecs", Chief=1, PS=1, Worker=2),
    "tensorflow alone": other("TFJob", "tensorflow", "tfReplicaSpecs", Worker=1),
    "mpi": other("MPIJob", "mpi", "mpiReplicaSpecs", Launcher=1, Worker=2),
}


@pytest.mark.parametrize("name", UNSEEN)
async def test_the_api_accepts_what_is_made_and_a_job_set_comes_of_it(name: str) -> None:
    clock, store = ManualClock(), Store.in_memory()
    kinds = catalog.builtin()
    # Without the life cycle of namespaces: there are none.
    plugins = defaults.plugins(clock, service_accounts=False)[1:]
    registry = Registry(store, kinds, clock, random.Random(1), admission=plugins)
    shared = kinds.by_api_version(CLUSTER_TRAINING_RUNTIMES.api_version, CLUSTER_TRAINING_RUNTIMES.kind)
    job_sets = kinds.by_api_version(JOB_SETS.api_version, JOB_SETS.kind)
    assert shared is not None
    assert job_sets is not None
    made = {}
    for shipped in profiles.profile("").runtimes:
        made[shipped["metadata"]["name"]] = await registry.create(shared, shipped, "", OPTIONS)
    for obj in convert(UNSEEN[name]).documents:
        kind = kinds.by_api_version(obj["apiVersion"], obj["kind"])
        assert kind is not None
        made[obj["kind"]] = await registry.create(kind, obj, "default", STRICT)
    job = made["TrainJob"]
    reference = job["spec"]["runtimeRef"]
    runtime = made["TrainingRuntime" if reference["kind"] == "TrainingRuntime" else reference["name"]]
    await registry.create(job_sets, job_set.build(job, runtime).job_set, "default", STRICT)
    await store.close()
