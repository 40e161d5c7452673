from typing import Any

import pytest

from sidings.api.job.ending import is_failing


@pytest.mark.parametrize(
    ("true", "failing"),
    [((), False), (("FailureTarget",), True), (("FailureTarget", "Failed"), False), (("SuccessCriteriaMet",), False)],
)
def test_a_job_fails_until_its_pods_have_stopped(true: tuple[str, ...], failing: bool) -> None:
    job: dict[str, Any] = {"status": {"conditions": [{"type": type_, "status": "True"} for type_ in true]}}
    assert is_failing(job) is failing
