from datetime import UTC, datetime

from sidings.controllers.training_operator import job_conditions

FIRST = datetime(2026, 1, 1, tzinfo=UTC)
LATER = datetime(2026, 1, 2, tzinfo=UTC)


def put(conditions, type_, status="True", reason="", message="", now=LATER):
    return job_conditions.put(conditions, type_, status, reason or type_, message, now)


def shown(conditions):
    return [(c["type"], c["status"], c["reason"]) for c in conditions]


CREATED = put([], "Created", now=FIRST)
RUNNING = put(CREATED, "Running", now=FIRST)


def test_same_status_and_reason_change_nothing_not_even_the_message():
    assert put(RUNNING, "Running", message="new") is RUNNING


def test_running_and_restarting_replace_each_other():
    restarting = put(RUNNING, "Restarting")
    assert [c["type"] for c in restarting] == ["Created", "Restarting"]
    assert [c["type"] for c in put(restarting, "Running")] == ["Created", "Running"]


def test_the_end_turns_running_to_false_and_leaves_the_rest_of_it():
    ended = put(RUNNING, "Succeeded")
    assert ended[1] == {**RUNNING[1], "status": "False"}
    assert shown(ended)[-1] == ("Succeeded", "True", "Succeeded")


def test_a_failed_job_does_not_change_any_more():
    failed = put(RUNNING, "Failed")
    assert put(failed, "Running") is failed
    assert put(failed, "Succeeded") is failed


def test_what_changes_moves_to_the_end_and_keeps_its_transition_where_only_the_reason_is_new():
    suspended = put(put(CREATED, "Suspended", now=FIRST), "Running", now=FIRST)
    again = put(suspended, "Suspended", reason="Other")
    assert shown(again)[-1] == ("Suspended", "True", "Other")
    assert again[-1]["lastTransitionTime"] == "2026-01-01T00:00:00Z"
    assert again[-1]["lastUpdateTime"] == "2026-01-02T00:00:00Z"


def test_a_suspended_job_is_not_finished():
    assert not job_conditions.is_finished({"conditions": put(CREATED, "Suspended")})
    assert job_conditions.is_finished({"conditions": put(CREATED, "Succeeded")})
    assert not job_conditions.is_finished({})
