"""Elastic JobSets (gate ElasticJobSet): the Jobs of an Indexed group get the size that its template now has."""

from __future__ import annotations

from sidings.api.jobset import elastic
from sidings.api.objects import Object


def resized(job: Object, replicated_job: Object) -> Object | None:
    """``job`` with the size of its group's template; None where it has it, or where the group cannot change it."""
    wanted = elastic.size(replicated_job["template"]["spec"])
    if not elastic.is_elastic(replicated_job) or None in wanted.values() or elastic.size(job["spec"]) == wanted:
        return None
    return {**job, "spec": {**job["spec"], **wanted}}
