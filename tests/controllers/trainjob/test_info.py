"""The runtime with a TrainJob's resources and counts in it (cases M3, P3)."""

from __future__ import annotations

from sidings.api.objects import Object, copy_of
from sidings.controllers.trainjob.info import runtime_info
from tests.trainjobs import replicated_job, runtime, train_job, trainer_job


def resources_of(rt: Object, trainer: Object, job: str = "node") -> Object:
    pod_set = runtime_info(train_job(trainer), rt).pod_set(job)
    assert pod_set is not None
    container = pod_set.container("node")
    assert container is not None
    resources: Object = container["resources"]
    return resources


GPUS = {"resourcesPerNode": {"limits": {"nvidia.com/gpu": 4}}}


def test_resources_merge_by_key() -> None:
    own = {"requests": {"cpu": "2", "memory": "1Gi"}, "limits": {"nvidia.com/gpu": "1"}}
    rt = runtime(trainer_job(resources=own), policy={"torch": {}})
    assert resources_of(rt, GPUS) == {"requests": {"cpu": "2", "memory": "1Gi"}, "limits": {"nvidia.com/gpu": "4"}}


def test_resources_are_ignored_without_an_ml_policy() -> None:
    assert resources_of(runtime(), GPUS) == {}
    assert resources_of(runtime(policy={}), GPUS) == {"limits": {"nvidia.com/gpu": "4"}}


def test_worker_of_a_launcher_that_is_a_node_gets_them_too() -> None:
    for launcher_is_node, expected in ((True, {"limits": {"nvidia.com/gpu": "4"}}), (False, {})):
        policy = {"mpi": {"runLauncherAsNode": launcher_is_node}}
        assert resources_of(runtime(replicated_job("node"), trainer_job("launcher"), policy=policy), GPUS) == expected


def test_counts_before_the_policy() -> None:
    jobs = [
        trainer_job(job_spec={"parallelism": 5}),
        replicated_job("aux", job_spec={"parallelism": 3}),
        replicated_job("zero", job_spec={"parallelism": 0}),
    ]

    def counts(policy: Object | None) -> list[int]:
        return [
            pod_set.count for pod_set in runtime_info(train_job({}), runtime(*copy_of(jobs), policy=policy)).pod_sets
        ]

    assert counts(None) == [5, 3, 1]
    assert counts({"torch": {}}) == [1, 3, 1]
    assert counts({"torch": {}, "numNodes": 7}) == [7, 3, 1]


def test_runtime_is_not_changed() -> None:
    rt = runtime(policy={"torch": {}})
    before = copy_of(rt)
    runtime_info(train_job(GPUS), rt)
    assert rt == before
