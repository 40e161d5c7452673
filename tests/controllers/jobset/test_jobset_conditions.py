from datetime import timedelta

from sidings.controllers.jobset.jobset_conditions import Condition, set_condition
from tests.controllers.jobset.cluster import NOW

LATER = NOW + timedelta(minutes=1)
ON = Condition("Suspended", "True", "SuspendedJobs", "jobset is suspended")
OFF = Condition("Suspended", "False", "ResumeJobs", "jobset is resumed")


def conditions(jobset: dict) -> list[dict]:
    return jobset["status"]["conditions"]


def test_a_change_is_told_once() -> None:
    jobset: dict = {}
    note = set_condition(jobset, ON, NOW)
    assert note is not None and (note.type, note.reason, note.message) == ("Normal", ON.reason, ON.message)
    assert set_condition(jobset, ON, LATER) is None
    assert conditions(jobset)[0]["lastTransitionTime"] == "2026-01-01T12:00:00Z"


def test_a_condition_that_is_false_is_never_introduced() -> None:
    jobset: dict = {}
    assert set_condition(jobset, OFF, NOW) is None
    assert jobset["status"].get("conditions") is None


def test_a_new_status_is_a_transition() -> None:
    jobset: dict = {}
    set_condition(jobset, ON, NOW)
    assert set_condition(jobset, OFF, LATER) is not None
    assert conditions(jobset) == [
        {
            "type": "Suspended",
            "status": "False",
            "reason": "ResumeJobs",
            "message": "jobset is resumed",
            "lastTransitionTime": "2026-01-01T12:01:00Z",
        }
    ]


def test_a_new_reason_is_none() -> None:
    jobset: dict = {}
    set_condition(jobset, ON, NOW)
    assert set_condition(jobset, ON._replace(reason="Other"), LATER) is not None
    assert conditions(jobset)[0]["lastTransitionTime"] == "2026-01-01T12:00:00Z"


def test_of_the_startup_conditions_only_one_is_true() -> None:
    jobset: dict = {}
    progress = Condition("StartupPolicyInProgress", "True", "r", "m")
    completed = Condition("StartupPolicyCompleted", "True", "r", "m")
    for condition, expected in ((progress, ["True"]), (completed, ["False", "True"]), (progress, ["True", "False"])):
        set_condition(jobset, condition, NOW)
        assert [found["status"] for found in conditions(jobset)] == expected
