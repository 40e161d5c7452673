"""The TrainJob webhooks (cases A18, A28, A29, deprecation; recorded texts)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sidings.api.kinds.trainjob import KIND
from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, JOB_SETS, TRAINING_RUNTIMES
from sidings.api.status import Forbidden
from sidings.clock import ManualClock
from sidings.registry.admission.plugin import Operation, Request
from sidings.registry.admission.trainjob import TrainJobAdmission
from tests.readers import MemoryReader
from tests.trainjobs import NAMESPACE, patch, pod_patch, runtime, train_job

DENIED = 'admission webhook "validator.trainjob.trainer.kubeflow.org" denied the request: '


@pytest.fixture
def objects() -> MemoryReader:
    return MemoryReader()


@pytest.fixture
def plugin() -> TrainJobAdmission:
    return TrainJobAdmission(ManualClock(datetime(2026, 6, 1, tzinfo=UTC)))


def request(
    job: Object, old: Object | None = None, warnings: list[str] | None = None, subresource: str = ""
) -> Request:
    operation = Operation.CREATE if old is None else Operation.UPDATE
    warn = (warnings if warnings is not None else []).append
    return Request(operation, KIND, NAMESPACE, job["metadata"]["name"], job, old, subresource, False, warn)


def cluster_runtime(name: str = "rt", labels: dict[str, str] | None = None) -> Object:
    obj = runtime(policy={"torch": {}}, name=name)
    obj["kind"] = "ClusterTrainingRuntime"
    obj["metadata"] = {"name": name, "labels": labels or {}}
    return obj


def of_cluster_runtime(name: str) -> Object:
    job = train_job({}, runtime_name=name)
    job["spec"]["runtimeRef"]["kind"] = "ClusterTrainingRuntime"
    return job


def test_patches_are_stamped(plugin: TrainJobAdmission, objects: MemoryReader) -> None:
    job = train_job({}, runtimePatches=[patch()])
    plugin.admit(request(job), objects)
    assert job["spec"]["runtimePatches"][0]["time"] == "2026-06-01T00:00:00Z"


def test_job_of_an_existing_runtime_passes(plugin: TrainJobAdmission, objects: MemoryReader) -> None:
    objects.add(TRAINING_RUNTIMES, runtime(policy={"torch": {}}))
    plugin.validate(request(train_job({})), objects)


def test_missing_runtime_of_the_namespace(plugin: TrainJobAdmission, objects: MemoryReader) -> None:
    with pytest.raises(Forbidden) as raised:
        plugin.validate(request(train_job({})), objects)
    assert raised.value.message == (
        f'{DENIED}spec.runtimeRef: Invalid value: {{"name":"rt","apiGroup":"trainer.kubeflow.org","kind":'
        '"TrainingRuntime"}: TrainingRuntime.trainer.kubeflow.org "rt" not found: specified trainingRuntime must be '
        "created before the TrainJob is created"
    )


def test_missing_runtime_of_the_cluster(plugin: TrainJobAdmission, objects: MemoryReader) -> None:
    with pytest.raises(Forbidden) as raised:
        plugin.validate(request(of_cluster_runtime("x")), objects)
    assert raised.value.message == (
        f'{DENIED}spec.RuntimeRef: Invalid value: {{"name":"x","apiGroup":"trainer.kubeflow.org","kind":'
        '"ClusterTrainingRuntime"}: ClusterTrainingRuntime.trainer.kubeflow.org "x" not found: specified '
        "clusterTrainingRuntime must be created before the TrainJob is created"
    )


def test_unknown_kind_of_runtime(plugin: TrainJobAdmission, objects: MemoryReader) -> None:
    job = train_job({})
    job["spec"]["runtimeRef"]["kind"] = "Other"
    with pytest.raises(Forbidden, match=r"unsupported runtime: Other\.trainer\.kubeflow\.org$"):
        plugin.validate(request(job), objects)
    del job["spec"]
    with pytest.raises(Forbidden, match=r"unsupported runtime: $"):
        plugin.validate(request(job), objects)


def test_deprecated_runtime_of_the_cluster_is_warned_about(plugin: TrainJobAdmission, objects: MemoryReader) -> None:
    objects.add(CLUSTER_TRAINING_RUNTIMES, cluster_runtime("old", {"trainer.kubeflow.org/support": "deprecated"}))
    objects.add(CLUSTER_TRAINING_RUNTIMES, cluster_runtime("new"))
    warnings: list[str] = []
    plugin.validate(request(of_cluster_runtime("new"), warnings=warnings), objects)
    assert warnings == []
    plugin.validate(request(of_cluster_runtime("old"), warnings=warnings), objects)
    assert [warning[:57] for warning in warnings] == ['Referenced ClusterTrainingRuntime "old" is deprecated and']


def test_several_errors_are_in_brackets(plugin: TrainJobAdmission, objects: MemoryReader) -> None:
    objects.add(TRAINING_RUNTIMES, runtime(policy={"xgboost": {}}))
    env = [{"name": "DMLC_TASK_ID"}, {"name": "DMLC_NUM_WORKER"}]
    with pytest.raises(Forbidden) as raised:
        plugin.validate(request(train_job({"env": env})), objects)
    assert raised.value.message == (
        f"{DENIED}[spec.trainer.env[0]: Forbidden: DMLC_TASK_ID is reserved for the XGBoost runtime, "
        "spec.trainer.env[1]: Forbidden: DMLC_NUM_WORKER is reserved for the XGBoost runtime]"
    )


def test_running_job_set_is_looked_at(plugin: TrainJobAdmission, objects: MemoryReader) -> None:
    objects.add(TRAINING_RUNTIMES, runtime())
    status = {"replicatedJobsStatus": [{"name": "node", "active": 1}]}
    objects.add(JOB_SETS, {"metadata": {"name": "tj", "namespace": NAMESPACE}, "status": status})
    old = train_job({}, suspend=True)
    job = train_job({}, suspend=True, runtimePatches=[patch(pod_patch({"nodeSelector": {"a": "b"}}))])
    with pytest.raises(Forbidden, match=r"ReplicatedJob node is still active$"):
        plugin.validate(request(job, old), objects)


def test_status_writes_are_not_judged(plugin: TrainJobAdmission, objects: MemoryReader) -> None:
    job = train_job({}, runtimePatches=[patch()])
    plugin.admit(request(job, job, subresource="status"), objects)
    plugin.validate(request(job, job, subresource="status"), objects)
    assert "time" not in job["spec"]["runtimePatches"][0]
