"""The end of a restart: the RestartingJobSet condition becomes False again, and says why.

The restart itself is spread over passes: ``failure_policy`` raises the attempt, children of the old attempt are
deleted, ``creation`` makes the new ones.
"""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.controllers.jobset.jobset_conditions import RESTARTING, Condition

JOBS_READY = Condition(RESTARTING, "False", "JobsReady", "all jobs are ready")
JOBSET_FAILED = Condition(RESTARTING, "False", "JobSetFailed", "jobset failed")
JOBSET_COMPLETED = Condition(RESTARTING, "False", "JobSetCompleted", "jobset completed successfully")
JOBSET_SUSPENDED = Condition(RESTARTING, "False", "JobSetSuspended", "jobset is suspended")


def all_ready(jobset: Object, statuses: list[Object]) -> bool:
    """Every Job of the JobSet is ready or has succeeded."""
    wanted = sum(replicated_job["replicas"] for replicated_job in jobset["spec"].get("replicatedJobs") or ())
    return bool(wanted == sum(status["ready"] + status["succeeded"] for status in statuses))
