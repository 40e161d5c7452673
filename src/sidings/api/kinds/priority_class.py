"""PriorityClass: a name for a pod priority; only its description and metadata may change."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.fields import FieldError, forbidden, invalid, not_supported
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import PRIORITY_CLASSES

POLICIES = ("Never", "PreemptLowerPriority")
SYSTEM = ("system-cluster-critical", "system-node-critical")
HIGHEST_USER_PRIORITY = 1_000_000_000


class PriorityClassRules(Rules):
    def default(self, obj: Object) -> None:
        obj.setdefault("value", 0)
        obj.setdefault("preemptionPolicy", "PreemptLowerPriority")

    def validate(self, obj: Object) -> list[FieldError]:
        errors = []
        name, value = obj["metadata"].get("name") or "", obj["value"]
        if name.startswith("system-"):
            if name not in SYSTEM:
                detail = "priority class names with 'system-' prefix are reserved for system use only"
                errors.append(forbidden("metadata.name", detail))
        elif value > HIGHEST_USER_PRIORITY:
            errors.append(
                forbidden("value", f"maximum allowed value of a user defined priority is {HIGHEST_USER_PRIORITY}")
            )
        if obj["preemptionPolicy"] not in POLICIES:
            errors.append(not_supported("preemptionPolicy", obj["preemptionPolicy"], POLICIES))
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        errors = []
        if new["value"] != old["value"]:
            errors.append(forbidden("value", "may not be changed in an update."))
        if new["preemptionPolicy"] != old["preemptionPolicy"]:
            errors.append(invalid("preemptionPolicy", new["preemptionPolicy"], "field is immutable"))
        return errors


KIND = Kind(
    resource=PRIORITY_CLASSES,
    singular="priorityclass",
    schema=schemas.schema(PRIORITY_CLASSES.group, PRIORITY_CLASSES.version, PRIORITY_CLASSES.kind),
    builtin=True,
    rules=PriorityClassRules(),
    short_names=("pc",),
    columns=(
        columns.NAME,
        Column("Value", type="integer", json_path=".value", description="Higher is more important."),
        Column(
            "Global-Default",
            type="boolean",
            cell=lambda obj, now: bool(obj.get("globalDefault")),
            description="Whether pods without a class get it.",
        ),
        columns.AGE,
        Column(
            "PreemptionPolicy",
            cell=columns.field("preemptionPolicy"),
            description="Whether its pods may preempt others.",
        ),
    ),
    generation=True,
)
