import pytest

from sidings.controllers.job import ttl
from tests.controllers.job.jobs import NOW, at, make_job


@pytest.mark.parametrize(
    ("condition", "limit", "remaining"),
    [
        ("Complete", 5, -5),
        ("Failed", 30, 20),
        ("Complete", 0, -10),
        ("Complete", None, None),
        ("FailureTarget", 5, None),
    ],
)
def test_remaining(condition: str, limit: int | None, remaining: float | None) -> None:
    conditions = [{"type": condition, "status": "True", "lastTransitionTime": at(-10)}]
    job = make_job(status={"conditions": conditions}, ttlSecondsAfterFinished=limit)
    assert ttl.remaining(job, NOW) == remaining


def test_a_job_being_deleted_does_not_expire() -> None:
    conditions = [{"type": "Complete", "status": "True", "lastTransitionTime": at(-10)}]
    job = make_job(status={"conditions": conditions}, ttlSecondsAfterFinished=1)
    job["metadata"]["deletionTimestamp"] = at(0)
    assert ttl.remaining(job, NOW) is None
