import pytest

from sidings.controllers.jobset import statuses
from sidings.controllers.jobset.snapshot import Children
from tests.controllers.jobset.cluster import make_jobset


@pytest.mark.parametrize(
    ("case", "parallelism", "completions", "ready", "succeeded", "expected"),
    [
        ("T1", 1, 2, 1, 1, True),
        ("T2", 5, None, 2, 3, True),
        ("T3", 3, 2, 1, 1, True),
        ("T4", 2, 3, 2, 1, True),
        ("T5", 4, 5, 2, 1, False),
        ("no pods wanted", 0, 1, 0, 0, True),
    ],
)
def test_ready(
    case: str, parallelism: int, completions: int | None, ready: int, succeeded: int, expected: bool
) -> None:
    spec = {"parallelism": parallelism} | ({"completions": completions} if completions is not None else {})
    assert statuses.is_ready({"spec": spec, "status": {"ready": ready, "succeeded": succeeded}}) is expected


def job(group: str, **status: int) -> dict:
    labels = {"jobset.sigs.k8s.io/replicatedjob-name": group}
    return {"metadata": {"labels": labels}, "spec": {"parallelism": 1, "suspend": False}, "status": status}


def test_groups_by_name_descending() -> None:
    suspended = job("b")
    suspended["spec"]["suspend"] = True
    children = Children(
        active=[job("b", active=1), job("b", active=1, ready=1), suspended],
        successful=[job("a")],
        failed=[job("a")],
        previous=[job("a")],
    )
    assert statuses.compute(make_jobset(), children) == [
        {"name": "b", "ready": 1, "succeeded": 0, "failed": 0, "active": 2, "suspended": 1},
        {"name": "a", "ready": 0, "succeeded": 1, "failed": 1, "active": 0, "suspended": 0},
    ]


def test_a_job_of_no_group_does_not_count() -> None:
    counted = statuses.compute(make_jobset(), Children(successful=[job("other")]))
    assert sum(status["succeeded"] for status in counted) == 0
