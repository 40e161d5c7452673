"""Which Jobs to create now.

A name is free only when no Job of the JobSet has it any more, of whatever attempt. ``BlockingRecreate`` waits until the
whole old attempt is gone; ``Recreate`` replaces every Job as soon as its own forerunner is.
"""

from __future__ import annotations

from sidings.api import objects
from sidings.api.feature_gates import NONE, FeatureGates
from sidings.api.jobset import names
from sidings.api.objects import Object
from sidings.controllers.jobset import child_job
from sidings.controllers.jobset.snapshot import Children


def missing(jobset: Object, replicated_job: Object, children: Children, gates: FeatureGates = NONE) -> list[Object]:
    """The Jobs of the group that are to be created, in the order of their index."""
    policy = jobset["spec"].get("failurePolicy") or {}
    if policy.get("restartStrategy") == "BlockingRecreate" and children.previous:
        return []
    taken = {objects.name_of(job) for job in children.all}
    return [
        child_job.job_for(jobset, replicated_job, index, gates)
        for index in range(replicated_job["replicas"])
        if names.job_name(objects.name_of(jobset), replicated_job["name"], index) not in taken
    ]
