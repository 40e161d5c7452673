import pytest

from sidings.controllers.job import success_policy
from tests.controllers.job.jobs import make_job


@pytest.mark.parametrize(
    ("rules", "succeeded", "message"),
    [
        ([{"succeededIndexes": "0"}], {0}, "Matched rules at index 0"),
        ([{"succeededIndexes": "0"}], {1, 2}, ""),
        ([{"succeededIndexes": "0-2"}], {0, 1}, ""),
        ([{"succeededIndexes": "0-2", "succeededCount": 2}], {0, 1}, "Matched rules at index 0"),
        ([{"succeededCount": 2}], {1, 3}, "Matched rules at index 0"),
        ([{"succeededCount": 3}, {"succeededIndexes": "3"}], {3}, "Matched rules at index 1"),
        ([], {0, 1, 2, 3}, ""),
    ],
)
def test_met(rules: list[dict], succeeded: set[int], message: str) -> None:
    job = make_job(completions=4, successPolicy={"rules": rules})
    assert success_policy.met(job, succeeded) == message


def test_without_a_policy_nothing_is_met() -> None:
    assert success_policy.met(make_job(completions=1), {0}) == ""
