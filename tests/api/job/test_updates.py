from typing import Any

import pytest

from sidings.api import objects
from sidings.api.job import updates
from sidings.api.objects import Object
from tests.api.job.jobs import stored


def changed(job: Object, **spec: Any) -> Object:
    new = objects.copy_of(job)
    new["spec"] |= spec
    return new


def with_template(job: Object, change: Any) -> Object:
    new = objects.copy_of(job)
    change(new["spec"]["template"])
    return new


def complaints(new: Object, old: Object) -> list[str]:
    return [f"{error.field}: {error.text.rsplit(': ', 1)[-1]}" for error in updates.errors(new, old)]


def suspended(**status: Any) -> Object:
    return {**stored(suspend=True, completionMode="Indexed", completions=3, parallelism=3), "status": status}


INDEXED = stored(completionMode="Indexed", completions=3, parallelism=2)


@pytest.mark.parametrize(
    "spec",
    [
        {"parallelism": 5},
        {"backoffLimit": 9},
        {"activeDeadlineSeconds": 9},
        {"ttlSecondsAfterFinished": 9},
        {"suspend": True},
        {"podReplacementPolicy": "Failed"},
        {"manualSelector": True},
        {"completions": 4, "parallelism": 4},
    ],
)
def test_may_change(spec: dict[str, Any]) -> None:
    assert complaints(changed(INDEXED, **spec), INDEXED) == []


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ({"completions": 4}, "spec.completions: can only be modified in tandem with spec.parallelism"),
        ({"completionMode": "NonIndexed"}, "spec.completionMode: field is immutable"),
        ({"backoffLimitPerIndex": 1}, "spec.backoffLimitPerIndex: field is immutable"),
        ({"managedBy": "x.io/y"}, "spec.managedBy: field is immutable"),
        ({"successPolicy": {"rules": [{"succeededCount": 1}]}}, "spec.successPolicy: field is immutable"),
    ],
)
def test_may_not_change(spec: dict[str, Any], complaint: str) -> None:
    assert complaints(changed(INDEXED, **spec), INDEXED) == [complaint]


def test_completions_without_indexes_are_fixed() -> None:
    job = stored(completions=3)
    assert complaints(changed(job, completions=4, parallelism=4), job) == ["spec.completions: field is immutable"]


def place(template: Object) -> None:
    template["metadata"]["annotations"] = {"a": "b"}
    template["spec"] |= {
        "nodeSelector": {"x": "y"},
        "tolerations": [{"key": "k", "operator": "Exists"}],
        "schedulingGates": [{"name": "g/x"}],
        "affinity": {"nodeAffinity": {}},
    }
    template["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "2"}}


def replace_image(template: Object) -> None:
    template["spec"]["containers"][0]["image"] = "img:2"


def test_a_template_is_fixed_while_the_job_runs() -> None:
    assert complaints(with_template(INDEXED, place), INDEXED) == ["spec.template: field is immutable"]


@pytest.mark.parametrize(
    ("status", "free"),
    [
        ({}, True),
        ({"startTime": "2026-01-01T00:00:00Z"}, False),
        ({"startTime": "2026-01-01T00:00:00Z", "conditions": [{"type": "Suspended", "status": "True"}]}, True),
        ({"active": 1, "conditions": [{"type": "Suspended", "status": "True"}]}, False),
    ],
)
def test_placement_is_free_while_the_job_stands_still(status: dict[str, Any], free: bool) -> None:
    job = suspended(**status)
    assert (complaints(with_template(job, place), job) == []) is free


def test_everything_else_stays_fixed() -> None:
    job = suspended()
    assert complaints(with_template(job, replace_image), job) == ["spec.template.spec: field is immutable"]
