"""What each change of a Pod, or of what makes Pods, must keep.

A rule looks at one change with the ledger's state before it; what it yields is a violation. What of the past a rule
needs the ledger notes; what holds only once things have come to rest is in ``rest.py``.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import objects
from sidings.api.job import indexes
from sidings.api.objects import Object
from sidings.api.resources import CRON_JOBS, JOB_SETS, JOBS, PODS, TRAIN_JOBS
from tests.faults.ledger import (
    ENDED,
    Change,
    Ledger,
    Rule,
    attempt_of,
    completions_of,
    group_of,
    index_of,
    is_finished,
    number,
    owner_uid,
    phase,
)


def never_two_live_attempts(ledger: Ledger, change: Change) -> Iterator[str]:
    """A new pod of an index has no other beside it, but for one of its own Job that is being stopped or has ended."""
    if change.kind != PODS.kind or change.old is not None or change.new is None:
        return
    new, index = change.new, index_of(change.new)
    job = (objects.controller_of(new) or {}).get("name")
    for other in ledger.present[PODS.kind].values():
        same_place = (objects.controller_of(other) or {}).get("name") == job and index_of(other) == index
        if not same_place or index is None or phase(other) in ENDED:
            continue
        if owner_uid(other) != owner_uid(new):
            if _left_behind(ledger, other, new):
                continue
            yield f"a pod of an earlier attempt still lives: {objects.name_of(other)}"
        elif not objects.is_deleting(other) or _replaces_only_failed(ledger, owner_uid(new)):
            yield f"index {index} has a pod already: {objects.name_of(other)}"


def _left_behind(ledger: Ledger, other: Object, new: Object) -> bool:
    """Whether the Job of ``other`` went with a JobSet that was deleted, before the garbage collector saw ``other``.

    A Job that nothing seems to depend on is deleted in the background, also for an owner that waits for it (upstream
    the same); a pod that was made at that moment is collected a little later. A JobSet's own restarts are another
    thing: they wait for the pods.
    """
    former = ledger.collected.get(owner_uid(other))
    job = ledger.present[JOBS.kind].get(owner_uid(new))
    return former is not None and (job is None or owner_uid(job) != former)


def _replaces_only_failed(ledger: Ledger, job_uid: str) -> bool:
    job = ledger.present[JOBS.kind].get(job_uid)
    return job is not None and job["spec"].get("podReplacementPolicy") == "Failed"


def ends_are_final(ledger: Ledger, change: Change) -> Iterator[str]:
    old, new = change.old, change.new
    if old is None or new is None:
        return
    if change.kind == PODS.kind:
        if phase(old) in ENDED and phase(new) != phase(old):
            yield f"{phase(old)} became {phase(new)}"
        return
    if is_finished(old) and is_finished(new) != is_finished(old):
        yield f"{is_finished(old)} became {is_finished(new) or 'unfinished'}"
    if change.kind == JOB_SETS.kind and is_finished(old):
        for name in ("terminalState", "restarts", "restartsCountTowardsMax"):
            if (old["status"].get(name)) != (new["status"].get(name)):
                yield f"{name} changed after the end"


def restarts_stay_within_the_limit(ledger: Ledger, change: Change) -> Iterator[str]:
    if change.kind != JOB_SETS.kind or change.new is None:
        return
    before = number(change.old, "restarts") if change.old else 0
    after, counted = number(change.new, "restarts"), number(change.new, "restartsCountTowardsMax")
    limit = int((change.new["spec"].get("failurePolicy") or {}).get("maxRestarts") or 0)
    if not before <= after <= before + 1:
        yield f"restarts went from {before} to {after}"
    if counted > limit or counted > after:
        yield f"{counted} of {after} restarts count, {limit} are allowed"
    individual = (
        n
        for group in (change.new.get("status") or {}).get("replicatedJobsStatus") or ()
        for n in group.get("jobRestartsCountTowardsMax") or ()
    )
    if counted + max(individual, default=0) > limit:
        yield f"restarts of one Job and of the set exceed {limit}"
    if after > before and not any(_failed_now(job, before) for job in ledger.jobs_seen_by(change.new)):
        yield "restarted without a failed Job"


def attempts_in_place_are_those_of_pods(ledger: Ledger, change: Change) -> Iterator[str]:
    """What agents wait for only grows, and names no attempt that no pod has reached; what has passed lies behind."""
    if change.kind != JOB_SETS.kind or change.old is None or change.new is None:
        return
    reached = ledger.reached_in_place.get(objects.uid_of(change.new), -1)
    for name, highest in (("currentInPlaceRestartAttempt", reached), ("previousInPlaceRestartAttempt", reached - 1)):
        before, after = ((one.get("status") or {}).get(name, -1) for one in (change.old, change.new))
        if not before <= after <= max(highest, -1):
            yield f"{name} went from {before} to {after}, pods have reached {reached}"


def _failed_now(job: Object, attempt: int) -> bool:
    return is_finished(job) == "Failed" and attempt_of(job) == attempt


def every_end_is_counted_once(ledger: Ledger, change: Change) -> Iterator[str]:
    if change.kind != JOBS.kind or change.new is None:
        return
    old, new, uid = change.old or {}, change.new, objects.uid_of(change.new)
    for name in ("failed", "succeeded") if uid not in ledger.resized else ("failed",):
        if number(new, name) < number(old, name):
            yield f"{name} went from {number(old, name)} to {number(new, name)}"
    counted = number(new, "failed") + (0 if _is_indexed(new) else number(new, "succeeded"))
    if counted > ledger.pods_made.get(uid, 0):
        yield f"{counted} ends were counted of {ledger.pods_made.get(uid, 0)} pods"
    if _is_indexed(new):
        done = indexes.parse((new.get("status") or {}).get("completedIndexes"), new["spec"]["completions"])
        if missing := done - ledger.indexes_done.get(uid, set()):
            yield f"no pod of indexes {sorted(missing)} has succeeded"


def failed_indexes_stay_failed(ledger: Ledger, change: Change) -> Iterator[str]:
    """An index that has failed for good gets no pod any more and never succeeds."""
    if change.new is None:
        return
    if change.kind == PODS.kind and change.old is None:
        job = ledger.present[JOBS.kind].get(owner_uid(change.new))
        if job is not None and index_of(change.new) in _indexes(job, "failedIndexes"):
            yield f"a pod for index {index_of(change.new)}, which has failed"
    if change.kind == JOBS.kind and change.old is not None:
        failed = _indexes(change.new, "failedIndexes")
        if both := failed & _indexes(change.new, "completedIndexes"):
            yield f"indexes {sorted(both)} have failed and succeeded"
        healed = _indexes(change.old, "failedIndexes") - failed
        resized = objects.uid_of(change.new) in ledger.resized or completions_of(change.old) != completions_of(
            change.new
        )
        if healed and not resized:
            yield f"indexes {sorted(healed)} have failed no more"


def _indexes(job: Object, name: str) -> set[int]:
    if not _is_indexed(job):
        return set()
    return set(indexes.parse((job.get("status") or {}).get(name), job["spec"]["completions"]))


def forbidden_runs_do_not_overlap(ledger: Ledger, change: Change) -> Iterator[str]:
    if change.kind != JOBS.kind or change.old is not None or change.new is None:
        return
    cron_job = ledger.present[CRON_JOBS.kind].get(owner_uid(change.new))
    if cron_job is None or cron_job["spec"]["concurrencyPolicy"] == "Allow":
        return
    for other in ledger.jobs_of(cron_job):
        if not is_finished(other) and not objects.is_deleting(other):
            yield f"Job {objects.name_of(other)} still runs"


def schedules_go_on(ledger: Ledger, change: Change) -> Iterator[str]:
    if change.kind == CRON_JOBS.kind and change.old and change.new:
        before, after = ((one.get("status") or {}).get("lastScheduleTime") or "" for one in (change.old, change.new))
        if after < before:
            yield f"lastScheduleTime went from {before} to {after or 'nothing'}"


def train_jobs_complete_by_their_jobset(ledger: Ledger, change: Change) -> Iterator[str]:
    if change.kind != TRAIN_JOBS.kind or change.new is None or is_finished(change.new) != "Complete":
        return
    if objects.uid_of(change.new) not in ledger.completed_for:
        yield "complete, but its JobSet is not"


def _is_indexed(job: Object) -> bool:
    return bool(job["spec"].get("completionMode") == "Indexed")


def _jobset_of_new_job(ledger: Ledger, change: Change) -> Object | None:
    """The JobSet for which a Job has just been made; None of every other change."""
    is_new_job = change.kind == JOBS.kind and change.old is None and change.new is not None
    return ledger.jobset_of(change.new) if is_new_job else None


def jobs_are_made_for_the_present_attempt(ledger: Ledger, change: Change) -> Iterator[str]:
    jobset = _jobset_of_new_job(ledger, change)
    if jobset is None or change.new is None:
        return
    attempt = attempt_of(change.new)
    if is_finished(jobset):
        yield "made for a JobSet that has ended"
    if attempt != number(jobset, "restarts"):
        yield f"of attempt {attempt} while the JobSet is in {number(jobset, 'restarts')}"
    blocking = (jobset["spec"].get("failurePolicy") or {}).get("restartStrategy") == "BlockingRecreate"
    if blocking and any(attempt_of(job) < attempt for job in ledger.jobs_of(jobset)):
        yield "Jobs of the attempt before are still there"


def dependencies_are_kept(ledger: Ledger, change: Change) -> Iterator[str]:
    """Of ``Complete`` only: readiness may have passed by the time that the Job is made."""
    jobset = _jobset_of_new_job(ledger, change)
    if jobset is None or change.new is None:
        return
    groups = {group["name"]: group for group in jobset["spec"]["replicatedJobs"]}
    for wanted in groups[group_of(change.new)].get("dependsOn") or ():
        if (
            wanted["status"] == "Complete"
            and _complete(ledger, jobset, wanted["name"]) < groups[wanted["name"]]["replicas"]
        ):
            yield f"{wanted['name']} is not complete"


def only_success_completes(ledger: Ledger, change: Change) -> Iterator[str]:
    if change.kind != JOB_SETS.kind or change.new is None or is_finished(change.new) != "Completed":
        return
    if change.old is not None and is_finished(change.old):
        return
    policy = change.new["spec"]["successPolicy"]
    groups = change.new["spec"]["replicatedJobs"]
    targets = policy.get("targetReplicatedJobs") or [group["name"] for group in groups]
    done = sum(_complete(ledger, change.new, target) for target in targets)
    wanted = sum(group["replicas"] for group in groups if group["name"] in targets)
    if done < (1 if policy["operator"] == "Any" else wanted):
        yield f"only {done} of {wanted} Jobs are complete"


def _complete(ledger: Ledger, jobset: Object, group: str) -> int:
    attempt = number(jobset, "restarts")
    return len(
        {
            objects.name_of(job)
            for job in ledger.jobs_seen_by(jobset)
            if is_finished(job) == "Complete" and group_of(job) == group and attempt_of(job) == attempt
        }
    )


RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        never_two_live_attempts,
        ends_are_final,
        restarts_stay_within_the_limit,
        attempts_in_place_are_those_of_pods,
        every_end_is_counted_once,
        jobs_are_made_for_the_present_attempt,
        dependencies_are_kept,
        only_success_completes,
        failed_indexes_stay_failed,
        forbidden_runs_do_not_overlap,
        schedules_go_on,
        train_jobs_complete_by_their_jobset,
    )
}
