from typing import Any

import pytest

from sidings.api import objects
from sidings.api.jobset import immutability
from sidings.api.objects import Object
from tests.api.jobset.jobsets import group, jobset


def changed(old: Object, *, suspend: bool | None = None, pod: Any = None, metadata: Any = None, **spec: Any) -> Object:
    new = objects.copy_of(old)
    new["spec"] |= spec
    if suspend is not None:
        new["spec"]["suspend"] = suspend
    template = new["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    template["spec"] |= pod or {}
    template["metadata"] |= metadata or {}
    return new


def fields(new: Object, old: Object) -> list[str]:
    return [error.field for error in immutability.errors(new, old)]


RUNNING = jobset(group("a"))
SUSPENDED = jobset(group("a"), suspend=True)
PLACEMENT = [
    {"pod": {"nodeSelector": {"a": "b"}}},
    {"pod": {"tolerations": [{"operator": "Exists"}]}},
    {"pod": {"schedulingGates": [{"name": "x.io/g"}]}},
    {"metadata": {"labels": {"a": "b"}}},
    {"metadata": {"annotations": {"a": "b"}}},
]


@pytest.mark.parametrize("change", PLACEMENT)
def test_placement_is_free_while_suspended_before_or_after(change: dict[str, Any]) -> None:
    assert fields(changed(RUNNING, **change), RUNNING) == ["spec.replicatedJobs"]
    assert fields(changed(SUSPENDED, **change), SUSPENDED) == []
    assert fields(changed(SUSPENDED, suspend=False, **change), SUSPENDED) == []
    assert fields(changed(RUNNING, suspend=True, **change), RUNNING) == []


@pytest.mark.parametrize("change", [{"hostname": "x"}, {"priorityClassName": "x"}, {"affinity": {"nodeAffinity": {}}}])
def test_the_rest_of_the_template_is_fixed(change: dict[str, Any]) -> None:
    assert fields(changed(SUSPENDED, pod=change), SUSPENDED) == ["spec.replicatedJobs"]


def test_groups_are_fixed() -> None:
    more = [*SUSPENDED["spec"]["replicatedJobs"], group("b")]
    assert fields(changed(SUSPENDED, replicatedJobs=more), SUSPENDED) == ["spec.replicatedJobs"]


def test_the_manager_is_fixed() -> None:
    assert fields(changed(RUNNING, managedBy="x.io/y"), RUNNING) == ["spec.managedBy"]


@pytest.mark.parametrize(
    "spec", [{"suspend": True}, {"ttlSecondsAfterFinished": 5}, {"coordinator": {"replicatedJob": "z"}}]
)
def test_may_change(spec: dict[str, Any]) -> None:
    assert fields(changed(RUNNING, **spec), RUNNING) == []


def test_what_go_encodes_need_not_be_sent_back() -> None:
    new = objects.copy_of(RUNNING)
    template = new["spec"]["replicatedJobs"][0]["template"]
    del template["metadata"]
    del template["spec"]["template"]["spec"]["containers"][0]["resources"]
    assert fields(new, RUNNING) == []


def test_what_was_defaulted_must_be_sent_back() -> None:
    new = objects.copy_of(RUNNING)
    del new["spec"]["replicatedJobs"][0]["template"]["spec"]["completionMode"]
    assert fields(new, RUNNING) == ["spec.replicatedJobs"]
