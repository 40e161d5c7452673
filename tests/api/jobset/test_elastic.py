"""Case A31 of the behaviour specification."""

from typing import Any

import pytest

from sidings.api import objects
from sidings.api.feature_gates import ALL, NONE, FeatureGates
from sidings.api.jobset import elastic, immutability
from sidings.api.objects import Object
from tests.api.jobset.jobsets import group, jobset


def sized(parallelism: int | None, completions: int | None, **job_spec: Any) -> Object:
    made = jobset(group("a"))
    made["spec"]["replicatedJobs"][0]["template"]["spec"] |= {
        "parallelism": parallelism,
        "completions": completions,
        **job_spec,
    }
    return made


def complaints(new: Object, old: Object, gates: FeatureGates = ALL) -> list[str]:
    return [error.text for error in immutability.errors(new, old, gates)]


def test_both_may_change_together() -> None:
    assert complaints(sized(4, 4), sized(2, 2)) == []


@pytest.mark.parametrize(
    ("size", "complaint"),
    [
        ((4, 3), "completions must be equal to parallelism for Elastic Indexed Jobs"),
        ((4, None), "completions must be equal to parallelism for Elastic Indexed Jobs"),
        ((0, 0), "must be >= 1"),
    ],
)
def test_sizes_that_cannot_be(size: tuple[int, int | None], complaint: str) -> None:
    found = complaints(sized(*size), sized(2, 2))
    assert found
    assert all(complaint in text for text in found)


def test_only_indexed_jobs_are_elastic() -> None:
    old = sized(2, 2, completionMode="NonIndexed")
    (text,) = complaints(sized(3, 3, completionMode="NonIndexed"), old)
    assert text.endswith("field is immutable")


def test_a_finished_jobset_keeps_its_size() -> None:
    old, new = sized(2, 2), sized(3, 3)
    finished = {"conditions": [{"type": "Completed", "status": "True"}]}
    (text,) = complaints({**new, "status": finished}, {**old, "status": finished})
    assert text.endswith("when JobSet is in a terminal state (Completed or Failed)")


def test_without_the_gate_nothing_is_free() -> None:
    assert "field is immutable" in complaints(sized(4, 4), sized(2, 2), NONE)[0]


def test_nothing_else_of_the_job_may_change() -> None:
    new = objects.copy_of(sized(4, 4))
    new["spec"]["replicatedJobs"][0]["template"]["spec"]["backoffLimit"] = 1
    assert "field is immutable" in complaints(new, sized(2, 2))[0]


def test_a_template_that_is_taken_away_has_no_size() -> None:
    without = {"name": "a", "template": {}}
    assert not elastic.is_elastic(without)
    assert elastic.size(elastic.job_spec_of(without)) == {"parallelism": None, "completions": None}
