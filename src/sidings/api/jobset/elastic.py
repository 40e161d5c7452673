"""Elastic JobSets (gate ElasticJobSet): the Jobs of an Indexed group may change their size while they exist.

``parallelism`` and ``completions`` change together and stay equal, so every index keeps exactly one pod. The rules are
those of the upstream webhook; ``controllers/jobset/resizing`` brings the new size to the Jobs.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import conditions, fields
from sidings.api.fields import FieldError
from sidings.api.objects import Object

SIZE = ("parallelism", "completions")


def job_spec_of(replicated_job: Object) -> Object:
    """The spec of its Job template. One that was created has it, with its defaults; an update may lack it."""
    spec: Object = (replicated_job.get("template") or {}).get("spec") or {}
    return spec


def is_elastic(replicated_job: Object) -> bool:
    return bool(job_spec_of(replicated_job).get("completionMode") == "Indexed")


def size(job_spec: Object) -> dict[str, int | None]:
    """The fields that make the size of a Job, as they are in its spec or template spec."""
    return {name: job_spec.get(name) for name in SIZE}


def errors(new: Object, old: Object) -> Iterator[FieldError]:
    """The broken rules of a change of size."""
    before = {group["name"]: group for group in old["spec"].get("replicatedJobs") or ()}
    for index, group in enumerate(new["spec"].get("replicatedJobs") or ()):
        job_spec, earlier = job_spec_of(group), before.get(group["name"])
        if earlier is None or not is_elastic(group) or size(job_spec) == size(job_spec_of(earlier)):
            continue
        path = f"spec.replicatedJobs[{index}].template.spec"
        if any(conditions.is_true(new, final) for final in ("Completed", "Failed")):
            message = (
                "Cannot mutate parallelism or completions when JobSet is in a terminal state (Completed or Failed)"
            )
            yield fields.forbidden(path, message)
            continue
        for name, value in size(job_spec).items():
            if value is not None and value < 1:
                yield fields.invalid(f"{path}.{name}", value, f"{name} must be >= 1")
        if job_spec.get("parallelism") != job_spec.get("completions"):
            message = "completions must be equal to parallelism for Elastic Indexed Jobs"
            yield fields.invalid(f"{path}.completions", job_spec.get("completions"), message)
