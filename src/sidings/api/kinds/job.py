"""Job (``batch/v1``): pods that run to an end. The rules are in ``api/job``, one part per module."""

from __future__ import annotations

from datetime import datetime

from sidings.api import age, conditions, names, objects, schemas, timestamps
from sidings.api.fields import FieldError
from sidings.api.job import defaults, statuses, updates, validation
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.kinds.pod_spec import default_pod_spec
from sidings.api.objects import Object
from sidings.api.resources import JOBS

_STATES = ("Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet")


class JobRules(Rules):
    """Defaults, the generated selector, what may be and what may change."""

    def default(self, obj: Object) -> None:
        defaults.apply(obj)
        default_pod_spec(obj["spec"]["template"].setdefault("spec", {}))

    def default_on_create(self, obj: Object) -> None:
        obj["status"] = {}
        defaults.generate_selector(obj)
        defaults.inherit_labels(obj)

    def validate(self, obj: Object) -> list[FieldError]:
        return validation.errors(obj)

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        return updates.errors(new, old)

    def validate_status_update(self, new: Object, old: Object) -> list[FieldError]:
        return statuses.errors(new, old)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        complaints = names.dns1123_label(objects.name_of(obj)) if old is None else []
        if not complaints:
            return []
        return [
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; "
            f"a DNS label is recommended: [{' '.join(complaints)}]"
        ]


def _state(job: Object, now: datetime) -> str:
    """One word: how it ended, or what it is about; a Job that is being deleted says so unless it has ended."""
    true = [type_ for type_ in _STATES if conditions.is_true(job, type_)]
    if true and true[0] in ("Complete", "Failed"):
        return true[0]
    if objects.is_deleting(job):
        return "Terminating"
    return true[0] if true else "Running"


def _completions(job: Object, now: datetime) -> str:
    spec, succeeded = job["spec"], (job.get("status") or {}).get("succeeded") or 0
    if spec.get("completions") is not None:
        return f"{succeeded}/{spec['completions']}"
    parallelism = spec.get("parallelism") or 0
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _duration(job: Object, now: datetime) -> str:
    status = job.get("status") or {}
    if not status.get("startTime"):
        return ""
    end = timestamps.from_text(status["completionTime"]) if status.get("completionTime") else now
    return age.human((end - timestamps.from_text(status["startTime"])).total_seconds())


def _of_containers(field: str) -> Column:
    def cell(job: Object, now: datetime) -> str:
        containers = job["spec"]["template"]["spec"].get("containers") or ()
        return ",".join(container.get(field) or "" for container in containers)

    words = {"name": ("Containers", "Names"), "image": ("Images", "Images")}[field]
    return Column(words[0], cell=cell, priority=1, description=f"{words[1]} of the containers in the template.")


def _selector(job: Object, now: datetime) -> str:
    return columns.selector_text((job["spec"].get("selector") or {}).get("matchLabels"))


KIND = Kind(
    resource=JOBS,
    singular="job",
    schema=schemas.schema(JOBS.group, JOBS.version, JOBS.kind),
    builtin=True,
    rules=JobRules(),
    categories=("all",),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("Status", cell=_state, description="Status of the job."),
        Column("Completions", cell=_completions, description="Pods that succeeded, of those that have to."),
        Column("Duration", cell=_duration, description="Time required to complete the job."),
        columns.AGE,
        _of_containers("name"),
        _of_containers("image"),
        Column("Selector", cell=_selector, priority=1, description="Labels of the pods that belong to the job."),
    ),
    field_labels={"status.successful": "status.succeeded"},
    default_propagation="Orphan",
)
