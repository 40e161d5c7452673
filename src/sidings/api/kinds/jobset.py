"""JobSet: the rules of its CustomResourceDefinition and of its mutating webhook.

The validating webhook (``jobset.validation``, ``jobset.immutability``) runs in ``registry/admission/jobset.py``.
"""

from __future__ import annotations

from sidings.api import immutability, schemas
from sidings.api.fields import FieldError, broken_rule
from sidings.api.jobset import defaults
from sidings.api.jobset.names import claim_templates
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS

SCHEMA = schemas.schema(JOB_SETS.group, JOB_SETS.version, JOB_SETS.kind)

ORDER_MESSAGE = "StartupPolicy and DependsOn APIs are mutually exclusive"
NAMESPACE_MESSAGE = "namespace cannot be set for VolumeClaimPolicies templates"


class JobSetRules(Rules):
    """Defaults once, CEL rules always."""

    def default_on_create(self, obj: Object) -> None:
        defaults.apply(obj)
        defaults.encode(obj, SCHEMA)

    def validate(self, obj: Object) -> list[FieldError]:
        spec = obj.get("spec") or {}
        errors = []
        in_order = (spec.get("startupPolicy") or {}).get("startupPolicyOrder") == "InOrder"
        if in_order and any("dependsOn" in replicated_job for replicated_job in spec.get("replicatedJobs") or ()):
            errors.append(broken_rule("spec", spec, ORDER_MESSAGE))
        named = {
            index for index, _, template in claim_templates(obj) if (template.get("metadata") or {}).get("namespace")
        }
        errors += [broken_rule(f"spec.volumeClaimPolicies[{index}]", {}, NAMESPACE_MESSAGE) for index in sorted(named)]
        return errors

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
