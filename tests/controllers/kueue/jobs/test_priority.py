"""Which priority a job has in the queue."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.controllers.kueue.jobs import priority
from sidings.controllers.kueue.jobs.integration import BuildError

CLASSES = {"high": {"metadata": {"name": "high"}, "value": 100}}
PODS = {
    "pods": {"metadata": {"name": "pods"}, "value": 5},
    "usual": {"metadata": {"name": "usual"}, "value": 3, "globalDefault": True},
}


def job(label: str = "") -> Object:
    return {"metadata": {"labels": {"kueue.x-k8s.io/priority-class": label} if label else {}}}


def pod_sets(name: str = "") -> list[Object]:
    return [{"template": {"spec": {"priorityClassName": name} if name else {}}}]


def test_the_label_comes_first() -> None:
    found = priority.of_job(job("high"), "pods", pod_sets("pods"), CLASSES, PODS)
    assert found.value == 100
    assert found.reference == {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "high"}


def test_then_the_kind_then_the_pods_then_the_default() -> None:
    assert priority.of_job(job(), "pods", pod_sets(), CLASSES, PODS).value == 5
    assert priority.of_job(job(), "", pod_sets("pods"), CLASSES, PODS).value == 5
    assert priority.of_job(job(), "", pod_sets(), CLASSES, PODS).value == 3
    assert priority.of_job(job(), "", pod_sets(), {}, {}) == (None, 0)


def test_a_class_that_is_missing_is_named() -> None:
    with pytest.raises(BuildError, match='"nope" not found'):
        priority.of_job(job("nope"), "", pod_sets(), CLASSES, PODS)
