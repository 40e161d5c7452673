"""Priority and tolerations of new pods."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.resources import PODS, PRIORITY_CLASSES, Resource
from sidings.api.status import Forbidden, NotFound
from sidings.registry.admission.plugin import Operation, Request
from sidings.registry.admission.pods import DefaultTolerations, PodPriority


class Objects:
    """A reader of what it is given."""

    def __init__(self, *objects: tuple[Resource, Object]) -> None:
        self._objects = objects

    def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        for kept, obj in self._objects:
            if kept == resource and obj["metadata"]["name"] == name:
                return obj
        raise NotFound(f'{resource.plural} "{name}" not found')

    def list(self, resource: Resource, namespace: str = "") -> list[Object]:
        return [obj for kept, obj in self._objects if kept == resource]


def creation(spec: Object) -> Request:
    kind = catalog.builtin().by_plural("", "v1", "pods")
    assert kind is not None
    pod = {"metadata": {"name": "p"}, "spec": spec}
    return Request(Operation.CREATE, kind, "default", "p", pod, None, "", False, lambda text: None)


def priority_class(name: str, value: int, *, default: bool = False) -> tuple[Resource, Object]:
    return PRIORITY_CLASSES, {"metadata": {"name": name}, "value": value, "globalDefault": default}


def test_the_priority_comes_from_the_class() -> None:
    request = creation({"priorityClassName": "high"})
    PodPriority().admit(request, Objects(priority_class("high", 1000)))
    assert request.new["spec"] == {
        "priorityClassName": "high",
        "priority": 1000,
        "preemptionPolicy": "PreemptLowerPriority",
    }


def test_without_a_class_the_lowest_default_counts_or_zero() -> None:
    request = creation({})
    PodPriority().admit(request, Objects(priority_class("a", 9, default=True), priority_class("b", 3, default=True)))
    assert request.new["spec"]["priorityClassName"] == "b"
    request = creation({})
    PodPriority().admit(request, Objects(priority_class("a", 9)))
    assert request.new["spec"] == {"priority": 0, "preemptionPolicy": "PreemptLowerPriority"}


def test_system_classes_are_always_there() -> None:
    request = creation({"priorityClassName": "system-node-critical"})
    PodPriority().admit(request, Objects())
    assert request.new["spec"]["priority"] == 2_000_001_000


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"priorityClassName": "nope"}, 'pods "p" is forbidden: no PriorityClass with name nope was found'),
        (
            {"priority": 5},
            'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority '
            "admission controller computed 0 from the given PriorityClass name",
        ),
    ],
)
def test_a_priority_that_is_not_the_classes_own(spec: Object, message: str) -> None:
    with pytest.raises(Forbidden) as caught:
        PodPriority().admit(creation(spec), Objects())
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("tolerations", "added"),
    [
        ([], ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]),
        ([{"operator": "Exists"}], []),
        ([{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}], ["node.kubernetes.io/unreachable"]),
        (
            [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoSchedule"}],
            ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"],
        ),
    ],
)
def test_a_failing_node_keeps_pods_for_five_minutes(tolerations: Sequence[Object], added: list[str]) -> None:
    request = creation({"tolerations": list(tolerations)})
    DefaultTolerations().admit(request, Objects())
    new = request.new["spec"]["tolerations"][len(tolerations) :]
    assert [toleration["key"] for toleration in new] == added
    assert all(toleration["tolerationSeconds"] == 300 for toleration in new)


def test_only_new_pods_concern_them() -> None:
    kind = catalog.builtin().by_plural("", "v1", "configmaps")
    assert kind is not None
    request = Request(Operation.CREATE, kind, "default", "c", {"metadata": {}}, None, "", False, lambda text: None)
    for plugin in (PodPriority(), DefaultTolerations()):
        plugin.admit(request, Objects())
    assert request.new == {"metadata": {}}
    assert not request.concerns(PODS, Operation.CREATE)
