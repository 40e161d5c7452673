"""What the runtime's own webhook refuses (cases A26, A27)."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.trainer.rules import runtime as rules
from tests.trainjobs import initializer_job, replicated_job, runtime, trainer_job

PATH = "spec.template.spec.replicatedJobs[0]"


def errors(obj: Object) -> list[str]:
    return [str(error) for error in rules.check(obj)]


def test_one_replica() -> None:
    assert errors(runtime(trainer_job() | {"replicas": 2})) == [f"{PATH}.replicas: Invalid value: 2: always must be 1"]
    assert errors(runtime(replicated_job(ancestor="other") | {"replicas": 2})) == []


def test_container_of_the_ancestor() -> None:
    containers = f"{PATH}.template.spec.template.spec.containers"
    assert errors(runtime(trainer_job(container="x"))) == [
        f'{containers}: Invalid value: [{{"name":"x","image":"img:1","resources":{{}}}}]: must contain the required '
        "container for the ancestor: trainer"
    ]
    assert errors(runtime(initializer_job("dataset-initializer", container="x", volumeMounts=[]))) != []
    assert errors(runtime(initializer_job("dataset-initializer"), trainer_job())) == []


def test_validation_can_be_turned_off() -> None:
    obj = runtime(trainer_job(container="x"))
    obj["metadata"]["labels"] = {"trainer.kubeflow.org/webhook-validation": "disabled"}
    assert errors(obj) == []


def test_deprecation() -> None:
    obj = runtime()
    assert rules.deprecation(obj, "TrainingRuntime") == ""
    obj["metadata"]["labels"] = {"trainer.kubeflow.org/support": "deprecated"}
    assert rules.deprecation(obj, "Referenced ClusterTrainingRuntime") == (
        'Referenced ClusterTrainingRuntime "rt" is deprecated and will be removed in a future release of Kubeflow '
        "Trainer. See runtime deprecation policy: "
        "https://trainer.kubeflow.org/en/latest/operator-guides/runtime.html#runtime-deprecation-policy"
    )
