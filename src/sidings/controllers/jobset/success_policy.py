"""``successPolicy``: when a JobSet is complete (pkg/controllers/success_policy.go).

It is looked at only once a Job has succeeded and while none has failed. So a JobSet without Jobs never completes.
"""

from __future__ import annotations

from sidings.api import objects
from sidings.api.jobset import labels
from sidings.api.objects import Object
from sidings.controllers.jobset.jobset_conditions import COMPLETED, Condition
from sidings.controllers.jobset.snapshot import Children

ALL_JOBS_COMPLETED = Condition(COMPLETED, "True", "AllJobsCompleted", "jobset completed successfully")
TERMINAL_STATE = "Completed"


def met(jobset: Object, children: Children) -> bool:
    """``Any``: a Job of a target succeeded. ``All``: as many as the targets have. No targets means all groups."""
    policy = jobset["spec"].get("successPolicy") or {}
    replicated_jobs = jobset["spec"].get("replicatedJobs") or []
    targets = set(policy.get("targetReplicatedJobs") or [job["name"] for job in replicated_jobs])
    succeeded = sum(objects.labels_of(job).get(labels.REPLICATED_JOB_NAME) in targets for job in children.successful)
    if policy.get("operator") == "Any":
        return succeeded > 0
    return succeeded >= sum(int(job["replicas"]) for job in replicated_jobs if job["name"] in targets)
