"""HorizontalPodAutoscaler: rules and columns."""

from datetime import UTC, datetime

import pytest

from sidings.api.kinds.horizontal_pod_autoscaler import KIND

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def autoscaler(**spec):
    target = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "x"}
    return {"metadata": {"name": "x"}, "spec": {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 3, **spec}}


def test_one_that_is_right():
    obj = autoscaler()
    del obj["spec"]["minReplicas"]
    KIND.rules.default(obj)
    assert obj["spec"]["minReplicas"] == 1
    assert KIND.rules.validate(obj) == []


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"minReplicas": 0}, "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1"),
        ({"minReplicas": 5}, "spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`"),
        ({"scaleTargetRef": {"kind": "A"}}, "spec.scaleTargetRef.name: Required value"),
    ],
)
def test_what_is_refused(spec, error):
    assert [str(found) for found in KIND.rules.validate(autoscaler(**spec))] == [error]


def test_columns():
    cpu = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}
    obj = autoscaler(metrics=[{"type": "Resource", "resource": cpu}])
    cells = {column.name: column.cell(obj, NOW) for column in KIND.columns[1:-1]}
    assert cells == {
        "Reference": "PyTorchJob/x",
        "Targets": "cpu: <unknown>/80%",
        "MinPods": "1",
        "MaxPods": 3,
        "Replicas": 0,
    }
