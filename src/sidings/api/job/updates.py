"""What may change in a Job (``ValidateJobUpdate`` in pkg/apis/batch/validation, Kubernetes 1.36).

The template is fixed, except that a queue may say where the pods of a Job are to run, and with what resources, while
the Job stands still: it is suspended, its controller has seen that, and no pod of it is active.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import conditions, fields, objects
from sidings.api.equality import semantically_equal
from sidings.api.fields import FieldError
from sidings.api.job import validation
from sidings.api.objects import Object

IMMUTABLE = "field is immutable"
_FIXED_BEFORE_TEMPLATE = ("selector",)
_FIXED_AFTER_TEMPLATE = ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
_PLACEMENT = ("nodeSelector", "tolerations", "schedulingGates")


def errors(new: Object, old: Object) -> list[FieldError]:
    """Every broken rule of an update from ``old`` to ``new``, both with defaults."""
    after, before = new["spec"], old["spec"]
    return [
        *validation.spec_errors(after),
        *_completions(after, before),
        *_fixed(after, before, _FIXED_BEFORE_TEMPLATE),
        *_template(after["template"], before["template"], stands_still(old)),
        *_fixed(after, before, _FIXED_AFTER_TEMPLATE),
    ]


def stands_still(job: Object) -> bool:
    """Suspended, with nothing running, and either never started or known to be suspended."""
    status = job.get("status") or {}
    return bool(
        job["spec"].get("suspend")
        and not status.get("active")
        and (not status.get("startTime") or conditions.is_true(job, "Suspended"))
    )


def _completions(after: Object, before: Object) -> Iterator[FieldError]:
    """An Indexed Job may be scaled as a whole: as many completions as parallelism."""
    completions = after.get("completions")
    if completions == before.get("completions"):
        return
    if after["completionMode"] != "Indexed":
        yield fields.invalid("spec.completions", completions, IMMUTABLE)
    elif completions is None:
        yield fields.required("spec.completions", "when completion mode is Indexed")
    elif completions != after["parallelism"]:
        yield fields.invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")


def _fixed(after: Object, before: Object, names: tuple[str, ...]) -> Iterator[FieldError]:
    for name in names:
        if after.get(name) != before.get(name):
            yield fields.invalid(f"spec.{name}", after.get(name), IMMUTABLE)


def _template(after: Object, before: Object, free: bool) -> Iterator[FieldError]:
    if not free:
        if not semantically_equal(after, before):
            yield fields.invalid("spec.template", after, IMMUTABLE)
    elif not semantically_equal(_without_placement(after), _without_placement(before)):
        yield fields.invalid("spec.template.spec", after.get("spec"), IMMUTABLE)


def _without_placement(template: Object) -> Object:
    """The template without what may change while the Job stands still."""
    fixed: Object = objects.copy_of(template)
    for name in ("labels", "annotations"):
        (fixed.get("metadata") or {}).pop(name, None)
    spec = fixed.get("spec") or {}
    for name in _PLACEMENT:
        spec.pop(name, None)
    affinity = spec.get("affinity") or {}
    affinity.pop("nodeAffinity", None)
    if not affinity:
        spec.pop("affinity", None)
    for part in ("containers", "initContainers"):
        for container in spec.get(part) or ():
            container.pop("resources", None)
    return fixed
