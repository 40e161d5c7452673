"""Rules that hold once things have come to rest, with or without faults before."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.resources import CRON_JOBS, JOB_SETS, JOBS, PODS, TRAIN_JOBS
from tests.faults.ledger import ENDED, Ledger, is_finished, owner_uid, phase


def no_pod_without_an_owner(ledger: Ledger) -> Iterator[str]:
    for pod in ledger.present[PODS.kind].values():
        if owner_uid(pod) and owner_uid(pod) not in ledger.present[JOBS.kind] and not objects.is_deleting(pod):
            yield f"pod {objects.name_of(pod)} has lost its Job"


def no_job_without_an_owner(ledger: Ledger) -> Iterator[str]:
    for job in ledger.present[JOBS.kind].values():
        owners = ledger.present[JOB_SETS.kind].keys() | ledger.present[CRON_JOBS.kind].keys()
        if owner_uid(job) and owner_uid(job) not in owners and not objects.is_deleting(job):
            yield f"Job {objects.name_of(job)} has lost its owner"


def a_suspended_set_has_no_pods(ledger: Ledger) -> Iterator[str]:
    for jobset in ledger.present[JOB_SETS.kind].values():
        if jobset["spec"].get("suspend") and not is_finished(jobset) and not objects.is_deleting(jobset):
            for pod in _living_pods(ledger, jobset):
                yield f"suspended JobSet {objects.name_of(jobset)} has pod {objects.name_of(pod)}"


def a_suspended_train_job_has_no_pods(ledger: Ledger) -> Iterator[str]:
    for train_job in ledger.present[TRAIN_JOBS.kind].values():
        if train_job["spec"].get("suspend") and not is_finished(train_job) and not objects.is_deleting(train_job):
            for jobset in ledger.present[JOB_SETS.kind].values():
                if owner_uid(jobset) == objects.uid_of(train_job):
                    for pod in _living_pods(ledger, jobset):
                        yield f"suspended TrainJob {objects.name_of(train_job)} has pod {objects.name_of(pod)}"


def no_more_jobs_are_kept_than_asked_for(ledger: Ledger) -> Iterator[str]:
    limits = {"successfulJobsHistoryLimit": "Complete", "failedJobsHistoryLimit": "Failed"}
    for cron_job in ledger.present[CRON_JOBS.kind].values():
        for name, end in limits.items():
            jobs = [job for job in ledger.jobs_of(cron_job) if is_finished(job) == end and not objects.is_deleting(job)]
            if len(jobs) > cron_job["spec"][name]:
                yield f"CronJob {objects.name_of(cron_job)} keeps {len(jobs)} Jobs that are {end}"


def a_finished_set_has_no_pods(ledger: Ledger) -> Iterator[str]:
    for jobset in ledger.present[JOB_SETS.kind].values():
        if is_finished(jobset):
            for pod in _living_pods(ledger, jobset):
                yield f"finished JobSet {objects.name_of(jobset)} has pod {objects.name_of(pod)}"


def everything_has_ended(ledger: Ledger) -> Iterator[str]:
    for kind in (TRAIN_JOBS.kind, JOB_SETS.kind, JOBS.kind):
        for obj in ledger.present[kind].values():
            if not is_finished(obj):
                yield f"{kind} {objects.name_of(obj)} goes on: {obj.get('status')}"


def nothing_is_left(ledger: Ledger) -> Iterator[str]:
    for kind, present in ledger.present.items():
        for obj in present.values():
            yield f"{kind} {objects.name_of(obj)} is left, finalizers {obj['metadata'].get('finalizers')}"


def _living_pods(ledger: Ledger, jobset: Object) -> Iterator[Object]:
    jobs = {objects.uid_of(job) for job in ledger.jobs_of(jobset)}
    for pod in ledger.present[PODS.kind].values():
        if owner_uid(pod) in jobs and phase(pod) not in ENDED and not objects.is_deleting(pod):
            yield pod
