"""JobSet: the rules of its CustomResourceDefinition and of its mutating webhook.

The validating webhook (``jobset.validation``, ``jobset.immutability``) runs in ``registry/admission/jobset.py``.
"""

from __future__ import annotations

from sidings.api import immutability, schemas
from sidings.api.fields import FieldError
from sidings.api.jobset import defaults, spec_rules
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS

SCHEMA = schemas.schema(JOB_SETS.group, JOB_SETS.version, JOB_SETS.kind)


class JobSetRules(Rules):
    """Defaults once, CEL rules always."""

    def default(self, obj: Object) -> None:
        # An update may take the spec away; controllers read an empty one, as Go's do.
        if obj.get("spec") is None:
            obj["spec"] = {}

    def default_on_create(self, obj: Object) -> None:
        defaults.apply(obj)
        defaults.encode(obj, SCHEMA)

    def validate(self, obj: Object) -> list[FieldError]:
        return list(spec_rules.check(obj.get("spec") or {}, "spec"))

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        return list(immutability.changes(SCHEMA, new, old))


KIND = Kind(
    resource=JOB_SETS,
    singular="jobset",
    schema=SCHEMA,
    builtin=False,
    rules=JobSetRules(),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("TerminalState", json_path=".status.terminalState", description="Final state of JobSet"),
        Column("Restarts", json_path=".status.restarts", description="Number of restarts"),
        Column("Completed", json_path='.status.conditions[?(@.type=="Completed")].status'),
        Column("Suspended", json_path=".spec.suspend", description="JobSet suspended"),
        columns.DATE_AGE,
    ),
    mutating_webhook="mjobset.kb.io",
)
