"""States of recorded shapes of objects; the names of the tests are the rule."""

import pytest

from sidings.answers.family import Family, families
from sidings.answers.state import State, pods_that_run, state_of, state_of_pod
from sidings.api.objects import Object
from tests.answers.objects import condition, ended, job, job_set, pod, running, train_job, waiting, warning, workload

UNSCHEDULABLE = condition(
    "PodScheduled", "Unschedulable", "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.", status="False"
)


def family(
    tj: Object, js: Object | None = None, child: Object | None = None, *pods: Object, **more: list[Object]
) -> Family:
    [found] = families(
        train_jobs=[tj], job_sets=[js] if js else [], jobs=[child] if child else [], pods=list(pods), **more
    )
    return found


def two_pods(*statuses: str, **job_set_fields: int) -> Family:
    """A TrainJob of two pods, each in the phase given; Running ones on a node."""
    tj = train_job()
    js = job_set(tj, **job_set_fields)
    child = job(js)
    pods = [
        pod(child, rank, phase, node="node-1" if phase != "Pending" else "", containers=[running()])
        for rank, phase in enumerate(statuses)
    ]
    return family(tj, js, child, *pods)


def test_nothing_made_yet_is_queued() -> None:
    assert state_of(family(train_job())).word == "Queued"


def test_finished_conditions_decide_alone() -> None:
    assert state_of(family(train_job(condition("Complete", "JobsCompleted")))).word == "Succeeded"
    verdict = state_of(
        family(train_job(condition("Failed", "FailedJobs", "jobset failed due to one or more job failures")))
    )
    assert (verdict.word, verdict.reason) == ("Failed", "FailedJobs: jobset failed due to one or more job failures")


def test_a_resumed_job_is_not_suspended_although_its_condition_is_there() -> None:
    assert state_of(family(train_job(condition("Suspended", "Resumed", status="False")))).word == "Queued"


def test_suspended_says_what_is_still_stopping() -> None:
    tj = train_job(suspend=True)
    js = job_set(tj)
    child = job(js)
    assert state_of(family(tj, js, child)).reason == ""
    done = pod(child, 1, "Succeeded", node="n")
    stopping = state_of(family(tj, js, child, done, pod(child, 0, "Running", node="n", deleting=True)))
    assert (stopping.word, stopping.reason) == ("Suspended", "1 pods are stopping")


NO_QUOTA = condition("QuotaReserved", "ExceedsMaxQuota", "6 > 4", status="False")


def test_a_job_that_waits_in_a_queue_is_queued_and_one_that_was_stopped_suspended() -> None:
    tj = train_job(suspend=True)
    waits = state_of(family(tj, workloads=[workload(tj, NO_QUOTA)]))
    assert (waits.word, waits.reason) == ("Queued", "ExceedsMaxQuota: 6 > 4")
    off = condition("QuotaReserved", "Deactivated", "The workload is deactivated", status="False")
    stopped = state_of(family(tj, workloads=[workload(tj, off, active=False)]))
    assert (stopped.word, stopped.reason) == ("Suspended", "Deactivated: The workload is deactivated")
    assert state_of(family(tj)).word == "Suspended", "by a user, where there is no queue"


def test_an_evicted_job_says_first_what_is_still_stopping() -> None:
    tj = train_job(suspend=True)
    js = job_set(tj)
    child = job(js)
    stopping = pod(child, 0, "Running", node="n", deleting=True)
    verdict = state_of(family(tj, js, child, stopping, workloads=[workload(tj, NO_QUOTA)]))
    assert (verdict.word, verdict.reason) == ("Queued", "1 pods are stopping")


def test_the_newest_workload_of_the_root_counts() -> None:
    tj = train_job(suspend=True)
    js = job_set(tj)
    newer = workload(tj, NO_QUOTA, created="2026-01-02T00:00:00Z")
    found = family(tj, js, workloads=[newer, workload(tj), workload(js)])
    assert found.workload is newer


def test_pods_without_a_node_are_queued_with_the_numbers() -> None:
    tj = train_job()
    js = job_set(tj)
    child = job(js)
    verdict = state_of(family(tj, js, child, *(pod(child, rank, conditions=[UNSCHEDULABLE]) for rank in (0, 1))))
    assert verdict.word == "Queued"
    assert verdict.reason == "Unschedulable: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu."


def test_one_of_two_running_is_starting() -> None:
    assert state_of(two_pods("Running", "Pending")).word == "Starting"


def test_one_pod_of_two_created_is_not_running_yet() -> None:
    assert state_of(two_pods("Running")).word == "Starting"


def test_all_running_is_running() -> None:
    found = two_pods("Running", "Running")
    assert state_of(found).word == "Running"
    assert pods_that_run(found) == 2


def test_a_rank_that_has_succeeded_does_not_set_the_job_back() -> None:
    assert state_of(two_pods("Running", "Succeeded")).word == "Running"


def test_a_restarted_job_set_is_restarting_until_all_its_pods_run_again() -> None:
    assert state_of(two_pods("Pending", "Pending", restarts=1, max_restarts=3)).word == "Restarting(1/3)"
    assert state_of(two_pods("Running", "Pending", restarts=1, max_restarts=3)).word == "Restarting(1/3)"
    assert state_of(two_pods("Running", "Running", restarts=1, max_restarts=3)).word == "Running"


def test_a_container_that_waits_to_be_started_again_is_a_restart() -> None:
    tj = train_job()
    js = job_set(tj)
    child = job(js)
    crashed = pod(child, 0, "Running", node="n", containers=[waiting("CrashLoopBackOff", "back-off 10s", restarts=2)])
    found = family(tj, js, child, crashed, pod(child, 1, "Running", node="n", containers=[running()]))
    verdict = state_of(found)
    assert pods_that_run(found) == 1
    assert (verdict.word, verdict.reason) == ("Restarting(2/6)", "CrashLoopBackOff: back-off 10s")


def test_a_crash_loop_says_how_the_container_ended() -> None:
    crashed = waiting("CrashLoopBackOff", "back-off 10s restarting failed container=node", restarts=1)
    crashed["lastState"] = ended(3)["state"]
    one = pod(job(job_set()), 1, "Running", node="n", containers=[crashed])
    assert state_of_pod(one).reason == "CrashLoopBackOff: node-0-1 exited with 3 (Error)"


def test_a_failed_job_names_its_first_failure_and_no_restart_that_never_was() -> None:
    root = job(
        None, condition("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"), failed=1
    )
    root["spec"]["backoffLimit"] = 0
    [found] = families(jobs=[root], pods=[pod(root, 0, "Failed", node="n", containers=[ended(127, "StartError")])])
    verdict = state_of(found)
    assert verdict.reason == "BackoffLimitExceeded: tj-node-0-0 exited with 127 (StartError)"
    assert verdict.restarts.done == 0


def test_a_container_that_cannot_start_says_why() -> None:
    tj = train_job()
    js = job_set(tj)
    child = job(js, pods=1)
    broken = pod(child, 0, node="n", containers=[waiting("CreateContainerConfigError", 'configmap "x" not found')])
    verdict = state_of(family(tj, js, child, broken))
    assert (verdict.word, verdict.reason) == ("Starting", 'CreateContainerConfigError: configmap "x" not found')


def test_the_last_warning_is_the_reason_where_the_pods_say_nothing() -> None:
    tj = train_job()
    js = job_set(tj)
    notes = [
        warning(js, "JobCreationFailed", "newer", at="2026-01-01T00:00:09Z"),
        warning(js, "JobCreationFailed", "older", at="2026-01-01T00:00:01Z"),
    ]
    assert state_of(family(tj, js, events=notes)).reason == "JobCreationFailed: newer"


def test_warnings_about_what_is_past_are_no_reason() -> None:
    found = two_pods("Running", "Pending")
    started, waits = found.pods
    found.events += [warning(waits, "FailedMount", "now"), warning(started, "FailedMount", "before")]
    found.events.append(warning(found.root, "JobCreationFailed", "before there were pods"))
    assert state_of(found).reason == "FailedMount: now"


def test_a_running_job_does_not_show_warnings_of_its_start() -> None:
    found = two_pods("Running", "Running")
    found.events.append(warning(found.root, "FailedScheduling", "0/1 nodes are available"))
    assert state_of(found).reason == ""


def test_between_two_parts_of_a_pipeline_it_is_starting() -> None:
    js = job_set(parts=(("data-prep", 1), ("training", 2)))
    prep = job(js, condition("Complete"), part="data-prep", pods=1, succeeded=1)
    training = job(js, part="training")
    done = pod(prep, 0, "Succeeded", node="n")
    [found] = families(job_sets=[js], jobs=[prep, training], pods=[done, pod(training, 0, node="n")])
    assert state_of(found).word == "Starting"


def test_the_first_part_running_is_running() -> None:
    js = job_set(parts=(("data-prep", 1), ("training", 2)))
    prep = job(js, part="data-prep", pods=1)
    [found] = families(job_sets=[js], jobs=[prep], pods=[pod(prep, 0, "Running", node="n", containers=[running()])])
    assert state_of(found).word == "Running"


def test_a_job_being_deleted_says_so() -> None:
    found = two_pods("Running", "Running")
    found.root["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert state_of(found).reason == "being deleted"


@pytest.mark.parametrize(
    ("phase", "node", "containers", "word", "reason"),
    [
        ("Pending", "", [], "Queued", ""),
        ("Pending", "n", [waiting("ContainerCreating")], "Starting", ""),
        ("Running", "n", [running()], "Running", ""),
        ("Running", "n", [waiting("CrashLoopBackOff", restarts=1)], "Starting", "CrashLoopBackOff"),
        ("Succeeded", "n", [ended(0, "Completed")], "Succeeded", ""),
        ("Failed", "n", [ended(137, "OOMKilled")], "Failed", "OOMKilled: container node exited with 137"),
    ],
)
def test_pods_use_the_same_words(phase: str, node: str, containers: list[Object], word: str, reason: str) -> None:
    verdict = state_of_pod(pod(job(None), 0, phase, node=node, containers=containers))
    assert (verdict.word, verdict.reason) == (word, reason)


def test_a_pod_that_cannot_start_shows_its_own_warning() -> None:
    child = job(None)
    mine, other = pod(child, 0, node="n"), pod(child, 1, node="n")
    events = [warning(mine, "FailedMount", "mine"), warning(other, "FailedMount", "not mine")]
    assert state_of_pod(mine, events).reason == "FailedMount: mine"


def test_the_set_of_states_is_closed() -> None:
    assert [str(state) for state in State] == [
        "Queued", "Starting", "Running", "Suspended", "Restarting", "Succeeded", "Failed",
    ]  # fmt: skip


def test_when_all_have_succeeded_it_runs_until_its_controllers_say_so() -> None:
    assert state_of(two_pods("Succeeded", "Succeeded")).word == "Running"


def test_a_job_whose_pods_are_replaced_after_a_pause_does_not_look_idle() -> None:
    tj = train_job()
    js = job_set(tj, max_restarts=3)
    child = job(js)
    child["status"] = {"failed": 1}
    verdict = state_of(family(tj, js, child))
    assert verdict.state is State.RESTARTING
    assert verdict.reason == "pods that failed are replaced after a pause"


def test_between_a_failure_and_what_follows_from_it_the_failure_is_told() -> None:
    """Upstream's JobSet learns of it only when the other pods have stopped."""
    tj = train_job()
    js = job_set(tj, max_restarts=3)
    child = job(js, condition("FailureTarget", "BackoffLimitExceeded"), failed=2)
    dead = pod(child, 1, "Failed", node="n", containers=[ended(7)])
    stopping = pod(child, 0, "Running", node="n", containers=[running()], deleting=True)
    verdict = state_of(family(tj, js, child, dead, stopping))
    assert (verdict.word, verdict.reason) == (
        "Restarting(0/3)",
        "node-0-1 exited with 7 (Error), waits for 1 pod to stop",
    )
    last = job_set(tj)
    verdict = state_of(family(tj, last, job(last, *child["status"]["conditions"], failed=2), dead))
    assert (verdict.word, verdict.reason) == ("Running", "node-0-1 exited with 7 (Error)")


def test_a_restart_that_waits_for_the_attempt_before_says_so() -> None:
    tj = train_job()
    js = job_set(tj, restarts=1, max_restarts=3)
    child = job(js)
    old = pod(child, 0, "Running", node="node-1", containers=[running()])
    old["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:09Z"
    verdict = state_of(family(tj, js, child, old))
    assert (verdict.word, verdict.reason) == ("Restarting(1/3)", "waits for 1 pod of the attempt before to stop")
