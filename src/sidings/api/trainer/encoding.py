"""A JobSet template as Go's encoder writes it.

Trainer decodes a runtime into Go structs and encodes it again: struct fields that are not pointers come out even when
nobody set them (``resources: {}``, ``metadata: {}``, ``containers: null``) and quantities become canonical strings.
The JobSet's immutability rules compare the result, so it has to be the same each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidings.api import quantity
from sidings.api.objects import Object, copy_of


def encoded_template(template: Mapping[str, Any]) -> Object:
    """A copy of a runtime's ``{metadata, spec}`` with all that Go's encoder adds."""
    result: Object = copy_of(dict(template))
    result.setdefault("metadata", {})
    spec = result.setdefault("spec", {})
    for replicated_job in spec.get("replicatedJobs") or ():
        job_template = replicated_job.setdefault("template", {})
        job_template.setdefault("metadata", {})
        pod_template = job_template.setdefault("spec", {}).setdefault("template", {})
        pod_template.setdefault("metadata", {})
        pod_spec = pod_template.setdefault("spec", {})
        pod_spec.setdefault("containers", None)
        for container in (pod_spec["containers"] or []) + (pod_spec.get("initContainers") or []):
            container["resources"] = encoded_resources(container.get("resources") or {})
    for policy in spec.get("volumeClaimPolicies") or ():
        for claim in policy.get("templates") or ():
            claim.setdefault("metadata", {})
            claim_spec = claim.setdefault("spec", {})
            claim_spec["resources"] = encoded_resources(claim_spec.get("resources") or {})
            claim.setdefault("status", {})
    return result


def encoded_resources(resources: Mapping[str, Any]) -> Object:
    """ResourceRequirements with canonical quantities; empty ``limits`` and ``requests`` are left out."""
    result: Object = dict(resources)
    for field in ("limits", "requests"):
        amounts = result.pop(field, None)
        if amounts:
            result[field] = {name: quantity.canonical(amount) for name, amount in amounts.items()}
    return result
