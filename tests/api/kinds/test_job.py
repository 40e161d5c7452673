from datetime import UTC, datetime
from typing import Any

import pytest

from sidings.api import table
from sidings.api.kinds.job import KIND
from tests.api.job.jobs import stored

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
START, END = "2026-11-30T11:58:00Z", "2026-11-30T11:58:42Z"


def cells(status: dict[str, Any], *, deleting: bool = False, **spec: Any) -> list[Any]:
    job = {**stored(**spec), "status": status}
    job["metadata"]["creationTimestamp"] = START
    if deleting:
        job["metadata"]["deletionTimestamp"] = END
    return table.cells(KIND, job, NOW)


def true(*types: str) -> list[dict[str, str]]:
    return [{"type": type_, "status": "True"} for type_ in types]


def test_columns() -> None:
    status = {"startTime": START, "completionTime": END, "succeeded": 1, "conditions": true("Complete")}
    assert cells(status) == [
        "j",
        "Complete",
        "1/1",
        "42s",
        "2m",
        "main",
        "img:1",
        "batch.kubernetes.io/controller-uid=u",
    ]


@pytest.mark.parametrize(
    ("conditions", "deleting", "state"),
    [
        ([], False, "Running"),
        ([], True, "Terminating"),
        (true("Suspended"), False, "Suspended"),
        (true("Suspended"), True, "Terminating"),
        (true("FailureTarget"), False, "FailureTarget"),
        (true("FailureTarget", "Failed"), False, "Failed"),
        (true("SuccessCriteriaMet"), False, "SuccessCriteriaMet"),
        (true("SuccessCriteriaMet", "Complete"), True, "Complete"),
    ],
)
def test_state(conditions: list[dict[str, str]], deleting: bool, state: str) -> None:
    assert cells({"conditions": conditions}, deleting=deleting)[1] == state


@pytest.mark.parametrize(
    ("spec", "shown"),
    [({"completions": 4}, "2/4"), ({"parallelism": 3}, "2/1 of 3"), ({"parallelism": 1}, "2/1")],
)
def test_completions(spec: dict[str, int], shown: str) -> None:
    assert cells({"succeeded": 2}, **spec)[2] == shown


def test_duration_runs_from_the_start() -> None:
    assert cells({})[3] == ""
    assert cells({"startTime": START})[3] == "2m"


def test_a_name_that_makes_bad_host_names_is_warned_about() -> None:
    job = stored()
    assert KIND.rules.warnings(job, None) == []
    job["metadata"]["name"] = "a.b"
    (warning,) = KIND.rules.warnings(job, None)
    assert warning.startswith("metadata.name: this is used in Pod names and hostnames")
    assert KIND.rules.warnings(job, job) == []
