"""The validating webhook of JobSet: its pure rules, and the claims that exist already.

A JobSet may reuse a claim of an earlier one of the same name if it says to retain it and asks for exactly what was
asked for then (pkg/webhooks/jobset_webhook.go). Exactly means equality with the stored claim, defaults included; that
makes reuse fail where the template leaves out ``volumeMode``, upstream as here. What binding adds to a claim is not
compared, unlike upstream: nobody can ask for it, and no claim that was ever used could be used again.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import fields, objects
from sidings.api.feature_gates import NONE, FeatureGates
from sidings.api.fields import FieldError
from sidings.api.jobset import immutability, validation
from sidings.api.jobset.names import claim_name, claim_templates
from sidings.api.objects import Object
from sidings.api.resources import CLAIMS, JOB_SETS
from sidings.api.status import Invalid, NotFound
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request

WEBHOOK = "vjobset.kb.io"
SET_BY_BINDING = frozenset({"volumeName", "storageClassName"})
"""Fields of a claim that the cluster fills in: the volume it chose, and the class it took by default."""


class JobSetAdmission(Plugin):
    """Refuses as the webhook ``vjobset.kb.io`` does."""

    def __init__(self, gates: FeatureGates = NONE) -> None:
        self._gates = gates

    def validate(self, request: Request, reader: Reader) -> None:
        if request.concerns(JOB_SETS, Operation.CREATE):
            _refuse(request, [*validation.errors(request.new, self._gates), *existing_claims(request, reader)])
        elif request.concerns(JOB_SETS, Operation.UPDATE):
            assert request.old is not None, "an UPDATE has an old object"
            _refuse(request, list(immutability.errors(request.new, request.old, self._gates)))


def existing_claims(request: Request, reader: Reader) -> Iterator[FieldError]:
    """Claims that the JobSet would reuse but may not."""
    jobset = request.new
    for policy_index, template_index, template in claim_templates(jobset):
        name = claim_name(template["metadata"].get("name") or "", objects.name_of(jobset))
        try:
            claim = reader.get(CLAIMS, name, request.namespace)
        except NotFound:
            continue
        path = f"spec.volumeClaimPolicies[{policy_index}]"
        if _as_asked(claim["spec"], template["spec"]) != template["spec"]:
            yield fields.invalid(
                f"{path}.template[{template_index}].spec",
                template["spec"],
                f"spec does not match existing PVC {name} in namespace {request.namespace}",
            )
        retention = jobset["spec"]["volumeClaimPolicies"][policy_index].get("retentionPolicy") or {}
        if retention.get("whenDeleted") != "Retain":
            yield fields.invalid(
                f"{path}.retentionPolicy.whenDeleted",
                retention.get("whenDeleted"),
                "retentionPolicy must be retain when PVC exists",
            )


def _as_asked(stored: Object, asked: Object) -> Object:
    """The spec of a claim without what the template does not ask for and binding has added."""
    return {key: value for key, value in stored.items() if key in asked or key not in SET_BY_BINDING}


def _refuse(request: Request, errors: list[FieldError]) -> None:
    if not errors:
        return
    refusal = fields.to_invalid(JOB_SETS.group, JOB_SETS.kind, objects.name_of(request.new), errors)
    raise Invalid(
        f'admission webhook "{WEBHOOK}" denied the request: {refusal.message}',
        name=refusal.name,
        group=refusal.group,
        kind=refusal.kind,
        causes=refusal.causes,
    )
