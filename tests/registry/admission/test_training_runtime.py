"""The runtimes' webhooks (recorded texts)."""

from __future__ import annotations

import pytest

from sidings.api.kind import Kind
from sidings.api.kinds.training_runtime import KINDS
from sidings.api.objects import Object
from sidings.api.status import Forbidden
from sidings.registry.admission.plugin import Operation, Request
from sidings.registry.admission.training_runtime import TrainingRuntimeAdmission
from tests.readers import MemoryReader
from tests.trainjobs import runtime, trainer_job

NAMESPACED, CLUSTER = KINDS
TWO_REPLICAS = runtime(trainer_job() | {"replicas": 2})


def validate(
    obj: Object, kind: Kind = NAMESPACED, operation: Operation = Operation.CREATE, warnings: list[str] | None = None
) -> None:
    warn = (warnings if warnings is not None else []).append
    request = Request(operation, kind, "", "rt", obj, None, "", False, warn)
    TrainingRuntimeAdmission().validate(request, MemoryReader())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.resource.kind)
def test_refusal_names_the_webhook(kind: Kind) -> None:
    with pytest.raises(Forbidden) as raised:
        validate(TWO_REPLICAS, kind)
    assert raised.value.message == (
        f'admission webhook "validator.{kind.singular}.trainer.kubeflow.org" denied the request: '
        "spec.template.spec.replicatedJobs[0].replicas: Invalid value: 2: always must be 1"
    )


def test_good_runtime_passes() -> None:
    validate(runtime())


def test_update_is_judged_only_cluster_wide() -> None:
    validate(TWO_REPLICAS, NAMESPACED, Operation.UPDATE)
    with pytest.raises(Forbidden):
        validate(TWO_REPLICAS, CLUSTER, Operation.UPDATE)


def test_deprecation_is_announced_only_cluster_wide() -> None:
    obj = runtime()
    obj["metadata"]["labels"] = {"trainer.kubeflow.org/support": "deprecated"}
    warnings: list[str] = []
    validate(obj, NAMESPACED, warnings=warnings)
    assert warnings == []
    validate(obj, CLUSTER, warnings=warnings)
    assert len(warnings) == 1
    assert warnings[0].startswith('ClusterTrainingRuntime "rt" is deprecated')
