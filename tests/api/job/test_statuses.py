from typing import Any

import pytest

from sidings.api.job import statuses
from sidings.api.objects import Object
from tests.api.job.jobs import stored

START = {"startTime": "2026-01-01T00:00:00Z"}


def condition(*types: str) -> list[Object]:
    return [{"type": type_, "status": "True"} for type_ in types]


FAILED = {**START, "conditions": condition("FailureTarget", "Failed")}


def complaints(new: Object, old: Object | None = None, **spec: Any) -> list[str]:
    job = stored(**spec)
    return [str(error) for error in statuses.errors({**job, "status": new}, {**job, "status": old or {}})]


@pytest.mark.parametrize(
    ("status", "complaint"),
    [
        ({"active": 1, "ready": 2}, "status.ready: Invalid value: 2: cannot set more ready pods than active"),
        ({"terminating": -1}, "status.terminating: Invalid value: -1: must be greater than or equal to 0"),
        (
            {**START, "conditions": condition("Failed")},
            "status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true "
            "condition",
        ),
        (
            {**FAILED, "active": 1},
            "status.active: Invalid value: 1: active>0 is invalid for finished job",
        ),
        (
            {**FAILED, "terminating": 1},
            "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job",
        ),
        (
            {"conditions": condition("FailureTarget", "Failed")},
            "status.startTime: Required value: startTime is required for finished job",
        ),
        (
            {**START, "conditions": condition("SuccessCriteriaMet", "Complete")},
            "status.completionTime: Required value: completionTime is required for Complete jobs",
        ),
        (
            {"completionTime": "x"},
            'status.completionTime: Invalid value: "x": cannot set completionTime when there is no Complete=True '
            "condition",
        ),
        (
            {
                "startTime": "2026-01-01T00:00:01Z",
                "completionTime": "2026-01-01T00:00:00Z",
                "conditions": condition("SuccessCriteriaMet", "Complete"),
            },
            'status.completionTime: Invalid value: "2026-01-01T00:00:00Z": must be equal to or after `startTime`',
        ),
        (
            {**FAILED, "uncountedTerminatedPods": {"failed": ["u"]}},
            'status.uncountedTerminatedPods: Invalid value: {"failed":["u"]}: must be empty for finished job',
        ),
        (
            {"uncountedTerminatedPods": {"succeeded": ["u"], "failed": ["u"]}},
            'status.uncountedTerminatedPods.failed[0]: Duplicate value: "u"',
        ),
        (
            {"uncountedTerminatedPods": {"failed": [""]}},
            'status.uncountedTerminatedPods.failed[0]: Invalid value: "": must not be empty',
        ),
        (
            {"failedIndexes": ""},
            'status.failedIndexes: Invalid value: "": cannot set non-null failedIndexes when backoffLimitPerIndex is '
            "null",
        ),
    ],
)
def test_one_status(status: Object, complaint: str) -> None:
    assert complaints(status) == [complaint]


def test_no_job_both_fails_and_succeeds() -> None:
    assert complaints({"conditions": condition("FailureTarget", "SuccessCriteriaMet")}) == [
        "status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"
    ]


def test_finished_stays_finished() -> None:
    assert complaints({**START, "conditions": condition("FailureTarget")}, FAILED) == [
        "status.conditions: Invalid value: cannot disable the terminal Failed=True condition"
    ]


def test_counted_stays_counted() -> None:
    assert complaints({"failed": 1}, {"failed": 2}) == [
        "status.failed: Invalid value: 1: cannot decrease the failed counter"
    ]
    assert complaints({"succeeded": 1}, {"succeeded": 2}) == [
        "status.succeeded: Invalid value: 1: cannot decrease the succeeded counter"
    ]
    assert complaints({"succeeded": 1}, {"succeeded": 2}, completionMode="Indexed", completions=1) == []


INDEXED = {"completionMode": "Indexed", "completions": 3, "backoffLimitPerIndex": 0}


@pytest.mark.parametrize(
    ("status", "complaint"),
    [
        ({"completedIndexes": "0-1", "failedIndexes": "2"}, None),
        (
            {"completedIndexes": "3"},
            'status.completedIndexes: Invalid value: "3": error parsing completedIndexes: too large index: "3"',
        ),
        (
            {"failedIndexes": "1,0"},
            'status.failedIndexes: Invalid value: "1,0": error parsing failedIndexes: non-increasing order, '
            "previous: 1, current: 0",
        ),
        (
            {"failedIndexes": "one"},
            'status.failedIndexes: Invalid value: "one": error parsing failedIndexes: cannot convert string to integer '
            'for index: "one"',
        ),
        (
            {"completedIndexes": "0-1", "failedIndexes": "1,2"},
            'status.failedIndexes: Invalid value: "1,2": failedIndexes and completedIndexes overlap at index: 1',
        ),
    ],
)
def test_sets_of_indexes(status: Object, complaint: str | None) -> None:
    assert complaints(status, **INDEXED) == ([complaint] if complaint else [])


def test_indexes_that_a_job_had_before_it_shrank_may_stay() -> None:
    before = {"completedIndexes": "0-4"}
    assert complaints({**before, "active": 1}, before, **INDEXED) == []


def test_only_indexed_jobs_have_indexes() -> None:
    assert complaints({"completedIndexes": "0"}) == [
        'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed '
        "completion mode"
    ]


def test_an_end_without_its_reason_gets_none_afterwards() -> None:
    end = {**START, "completionTime": START["startTime"]}
    before, after = condition("Complete"), condition("Complete", "SuccessCriteriaMet")
    assert complaints({**end, "conditions": after}, {**end, "conditions": before}) == [
        "status.conditions: Invalid value: cannot set SuccessCriteriaMet=True for Job already has Complete=true "
        "conditions"
    ]


def test_only_a_suspension_stops_the_clock() -> None:
    assert complaints({}, START) == [
        "status.startTime: Required value: startTime cannot be removed for unsuspended job"
    ]
    assert complaints({}, START, suspend=True) == []


def test_a_good_end() -> None:
    assert complaints({**START, "completionTime": "x", "conditions": condition("SuccessCriteriaMet", "Complete")}) == []


def test_all_that_is_wrong_is_told_in_upstreams_order() -> None:
    assert complaints({"active": 1, "conditions": condition("Complete", "Failed")}) == [
        "status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions",
        "status.completionTime: Required value: completionTime is required for Complete jobs",
        "status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition",
        "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true "
        "condition",
        "status.active: Invalid value: 1: active>0 is invalid for finished job",
        "status.startTime: Required value: startTime is required for finished job",
    ]


def test_only_a_suspended_job_of_no_completions_ends_before_it_starts() -> None:
    ended = {"completionTime": "x", "conditions": condition("SuccessCriteriaMet", "Complete")}
    assert complaints(ended, suspend=True, completions=0) == []
    assert complaints(ended, suspend=True) == [
        "status.startTime: Required value: startTime is required for finished job"
    ]


def test_an_end_keeps_its_time() -> None:
    ended = {**START, "completionTime": "2026-01-02T00:00:00Z"}
    ended["conditions"] = condition("SuccessCriteriaMet", "Complete")
    assert complaints({**ended, "completionTime": "2026-01-03T00:00:00Z"}, ended) == [
        'status.completionTime: Invalid value: "2026-01-03T00:00:00Z": field is immutable'
    ]
