"""Passes of the Job controller over snapshots, without any server."""

from datetime import timedelta
from typing import Any

from sidings.api import conditions, objects
from sidings.api.job import statuses
from sidings.api.objects import Object
from sidings.controllers.job.backoff import NO_FAILURES, Backoff
from sidings.controllers.job.plan import JobPlan, plan
from sidings.controllers.job.snapshot import Snapshot
from tests.controllers.job.jobs import NOW, at, make_job, make_pod, running_job

BACKOFF_EXCEEDED = "Job has reached the specified backoff limit"


def decide(job: Object, *pods: Object, backoff: Backoff = NO_FAILURES, later: float = 0) -> JobPlan:
    return plan(Snapshot.of(job, pods, backoff), NOW + timedelta(seconds=later))


def true_conditions(status: Object | None) -> list[str]:
    return [c["type"] for c in (status or {}).get("conditions") or () if c["status"] == "True"]


def indexes(pods: list[Object]) -> list[str]:
    return [objects.labels_of(pod)["batch.kubernetes.io/job-completion-index"] for pod in pods]


# Starting


def test_a_new_job_starts_its_clock_and_its_pods() -> None:
    decided = decide(make_job(completions=5, parallelism=2))
    assert indexes(decided.create) == ["0", "1"]
    assert decided.status == {
        "startTime": at(0),
        "active": 2,
        "ready": 0,
        "terminating": 0,
        "uncountedTerminatedPods": {},
    }


def test_a_second_look_changes_nothing() -> None:
    job = make_job(completions=2)
    pods = [make_pod(0), make_pod(1)]
    again = decide({**job, "status": decide(job, *pods).status}, *pods)
    assert again.status is None and not again.create and again.requeue_after is None


def test_the_lowest_free_indexes_come_next() -> None:
    job = running_job(completions=5, parallelism=2, status={"completedIndexes": "0,2", "succeeded": 2})
    assert indexes(decide(job, make_pod(3)).create) == ["1"]


def test_a_work_queue_starts_no_pod_after_a_success() -> None:
    job = running_job(parallelism=3)
    assert len(decide(job).create) == 3
    assert decide(job, make_pod(uid="a"), make_pod(phase="Succeeded", uid="b")).create == []


def test_a_job_being_deleted_starts_nothing_and_lets_its_pods_go() -> None:
    job = running_job(completions=2)
    job["metadata"]["deletionTimestamp"] = at(0)
    decided = decide(job, make_pod(0))
    assert decided.create == []
    assert [objects.uid_of(pod) for pod in decided.release] == ["pod-0"]
    assert "failed" not in (decided.status or {})


# Counting


def test_the_end_of_a_pod_is_noted_before_it_is_let_go_and_counted_afterwards() -> None:
    job = running_job(completions=2, parallelism=2, backoffLimit=6)
    ended = make_pod(0, "Failed")
    first = decide(job, ended, make_pod(1), later=60)
    assert first.status is not None
    assert first.status["uncountedTerminatedPods"] == {"failed": ["pod-0"]}
    assert "failed" not in first.status
    assert first.release == [ended]
    assert first.requeue_after == 0

    released = make_pod(0, "Failed", tracked=False)
    second = decide({**job, "status": first.status}, released, make_pod(1), make_pod(0, uid="new"), later=60)
    assert second.status is not None
    assert second.status["failed"] == 1
    assert second.status["uncountedTerminatedPods"] == {}
    assert second.release == []


def test_a_noted_pod_that_is_gone_is_counted() -> None:
    job = running_job(completions=1, status={"uncountedTerminatedPods": {"failed": ["gone"]}})
    status = decide(job, make_pod(0)).status
    assert status is not None and status["failed"] == 1


def test_a_noted_pod_is_not_noted_twice() -> None:
    job = running_job(completions=1, status={"uncountedTerminatedPods": {"failed": ["pod-0"]}})
    decided = decide(job, make_pod(0, "Failed"), later=60)
    assert decided.status is not None
    assert decided.status["uncountedTerminatedPods"] == {"failed": ["pod-0"]}


def test_a_success_of_an_index_needs_no_note() -> None:
    decided = decide(running_job(completions=2), make_pod(0, "Succeeded"), make_pod(1))
    assert decided.status is not None
    assert decided.status["completedIndexes"] == "0"
    assert decided.status["succeeded"] == 1
    assert decided.status["uncountedTerminatedPods"] == {}


def test_a_success_without_index_is_noted() -> None:
    decided = decide(running_job(completions=2, completionMode="NonIndexed"), make_pod(phase="Succeeded", uid="a"))
    assert decided.status is not None
    assert decided.status["uncountedTerminatedPods"] == {"succeeded": ["a"]}


def test_a_pod_with_an_index_that_the_job_lacks_is_let_go_uncounted() -> None:
    decided = decide(running_job(completions=1), make_pod(0), make_pod(7, "Failed"))
    assert decided.status is not None
    assert decided.status["uncountedTerminatedPods"] == {}
    assert [objects.uid_of(pod) for pod in decided.release] == ["pod-7"]


# Back-off


def test_failed_pods_are_replaced_only_after_the_pause() -> None:
    job = running_job(completions=1)
    ended = make_pod(0, "Failed", ended=0)
    waiting = decide(job, ended, later=4)
    assert waiting.create == []
    assert waiting.backoff.failures == 1
    status = {**job, "status": waiting.status}
    released = make_pod(0, "Failed", tracked=False)
    assert decide(status, released, backoff=waiting.backoff, later=4).requeue_after == 6
    assert len(decide(status, released, backoff=waiting.backoff, later=10).create) == 1


def test_no_active_pod_is_reported_during_the_pause() -> None:
    decided = decide(running_job(completions=2), make_pod(0, "Failed"), make_pod(1, "Pending"), later=1)
    assert decided.status is not None and "active" not in decided.status


def test_with_a_ready_sibling_the_status_stands_still_during_the_pause() -> None:
    job = running_job(completions=2, status={"active": 2, "ready": 2})
    decided = decide(job, make_pod(0, "Failed", ended=0), make_pod(1, ready=True), later=1)
    assert decided.status is None and decided.release == [] and decided.create == []
    assert decided.backoff == NO_FAILURES, "what is not written is not remembered"
    assert decided.requeue_after == 9


def test_an_unready_pod_that_is_deleted_is_replaced_after_the_pause_too() -> None:
    decided = decide(running_job(completions=1), make_pod(0, deleting=True), later=1)
    assert decided.create == []
    assert decided.status is not None
    assert decided.status["uncountedTerminatedPods"] == {"failed": ["pod-0"]}
    assert decided.status["terminating"] == 1


def test_with_replacement_policy_failed_a_terminating_pod_keeps_its_place() -> None:
    job = running_job(completions=1, podReplacementPolicy="Failed")
    decided = decide(job, make_pod(0, deleting=True), later=60)
    assert decided.create == [] and decided.release == []


# Ends


def test_the_back_off_limit_ends_all_pods_and_counts_them() -> None:
    job = running_job(completions=2, backoffLimit=0)
    sibling = make_pod(1, ready=True)
    first = decide(job, make_pod(0, "Failed"), sibling)
    assert first.terminate == [sibling]
    assert first.status is not None
    assert true_conditions(first.status) == ["FailureTarget"]
    assert first.status["uncountedTerminatedPods"] == {"failed": ["pod-0", "pod-1"]}
    assert (first.status["ready"], first.status["terminating"]) == (0, 1)
    assert first.events == []

    stopping = make_pod(1, deleting=True, tracked=False)
    second = decide({**job, "status": first.status}, make_pod(0, "Failed", tracked=False), stopping)
    assert second.status is not None and second.status["failed"] == 2
    assert true_conditions(second.status) == ["FailureTarget"], "a pod still terminates"

    third = decide({**job, "status": second.status}, make_pod(0, "Failed", tracked=False))
    assert true_conditions(third.status) == ["FailureTarget", "Failed"]
    assert [(note.type, note.reason, note.message) for note in third.events] == [
        ("Warning", "BackoffLimitExceeded", BACKOFF_EXCEEDED)
    ]
    assert decide({**job, "status": third.status}) == JobPlan()


def test_completion_is_announced_before_it_is_final() -> None:
    job = running_job(completions=1)
    first = decide(job, make_pod(0, "Succeeded"))
    assert true_conditions(first.status) == ["SuccessCriteriaMet"]
    second = decide({**job, "status": first.status}, make_pod(0, "Succeeded", tracked=False))
    assert true_conditions(second.status) == ["SuccessCriteriaMet", "Complete"]
    assert second.status is not None and second.status["completionTime"] == at(0)
    assert [note.reason for note in second.events] == ["Completed"]


def test_a_clock_that_was_set_back_lets_a_job_complete() -> None:
    """Its completion must not lie before its start: the API server would refuse the status until then."""
    criteria = {"type": "SuccessCriteriaMet", "status": "True", "reason": "CompletionsReached", "message": ""}
    status = {"startTime": at(3600), "completedIndexes": "0", "succeeded": 1, "conditions": [criteria]}
    job = make_job(completions=1, status=status)
    done = decide(job).status
    assert done is not None and done["completionTime"] == at(3600)
    assert list(statuses.errors({**job, "status": done}, job)) == []


def test_more_successes_than_were_wanted_are_told() -> None:
    criteria = {"type": "SuccessCriteriaMet", "status": "True", "reason": "CompletionsReached", "message": ""}
    status = {"startTime": at(-9), "succeeded": 3, "conditions": [criteria]}
    decided = decide(make_job(parallelism=1, completions=2, completionMode="NonIndexed", status=status))
    assert [note.reason for note in decided.events] == ["TooManySucceededPods", "Completed"]
    enough = {**status, "succeeded": 2}
    decided = decide(make_job(parallelism=1, completions=2, completionMode="NonIndexed", status=enough))
    assert [note.reason for note in decided.events] == ["Completed"]


def test_a_job_without_completions_to_reach_is_complete_at_once() -> None:
    first = decide(make_job(completions=0))
    assert true_conditions(first.status) == ["SuccessCriteriaMet"]


def test_the_success_policy_stops_the_others_uncounted() -> None:
    job = running_job(completions=2, successPolicy={"rules": [{"succeededIndexes": "0"}]})
    decided = decide(job, make_pod(0, "Succeeded"), make_pod(1))
    assert [objects.uid_of(pod) for pod in decided.terminate] == ["pod-1"]
    assert decided.status is not None
    condition = conditions.find(decided.status["conditions"], "SuccessCriteriaMet")
    assert condition is not None and condition["reason"] == "SuccessPolicy"
    assert decided.status["uncountedTerminatedPods"] == {}


def test_a_job_on_its_way_to_failure_cannot_succeed_any_more() -> None:
    target = [{"type": "FailureTarget", "status": "True", "reason": "DeadlineExceeded", "message": "m"}]
    job = running_job(completions=1, status={"conditions": target})
    decided = decide(job, make_pod(0, "Succeeded"))
    assert true_conditions(decided.status) == ["FailureTarget"]


def test_the_deadline() -> None:
    job = running_job(completions=1, activeDeadlineSeconds=100, status={"active": 1, "ready": 0, "terminating": 0})
    before = decide(job, make_pod(0))
    assert before.terminate == [] and before.requeue_after == 40
    after = decide(job, make_pod(0), later=40)
    assert len(after.terminate) == 1
    assert true_conditions(after.status) == ["FailureTarget"]
    assert conditions.find((after.status or {})["conditions"], "FailureTarget")["reason"] == "DeadlineExceeded"  # type: ignore[index]


def test_after_the_deadline_a_job_waits_for_events_only() -> None:
    target = [{"type": "FailureTarget", "status": "True", "reason": "DeadlineExceeded", "message": "m"}]
    status = {"conditions": target, "ready": 0, "terminating": 1, "uncountedTerminatedPods": {}, "failed": 1}
    job = running_job(completions=1, activeDeadlineSeconds=1, status=status)
    assert decide(job, make_pod(0, deleting=True, tracked=False), later=10).requeue_after is None


def test_restarts_in_place_reach_the_limit() -> None:
    job = running_job(completions=2, backoffLimit=2, restart_policy="OnFailure")
    assert decide(job, make_pod(0, restarts=1), make_pod(1)).terminate == []
    assert len(decide(job, make_pod(0, restarts=1), make_pod(1, restarts=1)).terminate) == 2
    strict = running_job(completions=1, backoffLimit=0, restart_policy="OnFailure")
    assert decide(strict, make_pod(0)).terminate == []
    assert len(decide(strict, make_pod(0, restarts=1)).terminate) == 1


def failed_index(index: int, failures: int) -> Object:
    return make_pod(index, "Failed", annotations={"batch.kubernetes.io/job-index-failure-count": str(failures)})


def test_failed_indexes_end_the_job_when_all_others_have_ended() -> None:
    job = running_job(completions=2, backoffLimitPerIndex=0)
    going = decide(job, failed_index(0, 0), make_pod(1))
    assert going.status is not None and going.status["failedIndexes"] == "0"
    assert true_conditions(going.status) == []
    ended = decide(job, failed_index(0, 0), make_pod(1, "Succeeded"))
    assert true_conditions(ended.status) == ["FailureTarget"]


def test_too_many_failed_indexes_end_the_job_at_once() -> None:
    job = running_job(completions=3, backoffLimitPerIndex=0, maxFailedIndexes=0)
    decided = decide(job, failed_index(0, 0), make_pod(1), make_pod(2))
    assert len(decided.terminate) == 2


def test_a_failed_index_that_is_to_be_retried_keeps_its_pod() -> None:
    job = running_job(completions=1, backoffLimitPerIndex=1)
    kept = failed_index(0, 0)
    waiting = decide(job, kept, later=1)
    assert waiting.release == [] and waiting.create == []
    retry = decide(job, kept, later=10)
    assert objects.annotations_of(retry.create[0])["batch.kubernetes.io/job-index-failure-count"] == "1"


# Suspension


def test_a_job_created_suspended_waits() -> None:
    decided = decide(make_job(completions=1, suspend=True))
    assert decided.create == []
    assert decided.status is not None
    assert "startTime" not in decided.status
    assert true_conditions(decided.status) == ["Suspended"]
    assert [note.reason for note in decided.events] == ["Suspended"]


def test_suspending_removes_the_pods_uncounted_and_stops_the_clock() -> None:
    pods = [make_pod(0, ready=True), make_pod(1)]
    job = running_job(completions=2, suspend=True, status={"failed": 1, "active": 2, "ready": 1})
    decided = decide(job, *pods)
    assert decided.discard == pods and decided.release == []
    assert decided.status is not None
    assert "startTime" not in decided.status and "active" not in decided.status
    assert (decided.status["failed"], decided.status["ready"], decided.status["terminating"]) == (1, 0, 2)


def test_resuming_starts_the_clock_anew() -> None:
    suspended = decide(make_job(completions=1, suspend=True)).status
    decided = decide({**make_job(completions=1), "status": suspended}, later=50)
    assert decided.status is not None
    assert decided.status["startTime"] == at(50)
    assert true_conditions(decided.status) == []
    assert len(decided.create) == 1
    assert [note.reason for note in decided.events] == ["Resumed"]


# Scaling


def test_fewer_pods_are_wanted() -> None:
    job = running_job(parallelism=1, completions=3, completionMode="NonIndexed")
    decided = decide(job, make_pod(uid="a", ready=True), make_pod(uid="b"), make_pod(uid="c"))
    assert len(decided.discard) == 2 and decided.create == []
    assert decided.status is not None
    assert (decided.status["active"], decided.status["terminating"]) == (1, 2)


def test_nothing_is_added_and_removed_in_one_pass() -> None:
    job = running_job(completions=2)
    decided = decide(job, make_pod(0, uid="a"), make_pod(0, uid="b"))
    assert len(decided.discard) == 1 and decided.create == []


def test_snapshots_put_indexes_in_order() -> None:
    job: Any = make_job(completions=11)
    snapshot = Snapshot.of(job, [make_pod(10), make_pod(2), make_pod(0)])
    assert [objects.uid_of(pod) for pod in snapshot.pods] == ["pod-0", "pod-2", "pod-10"]
