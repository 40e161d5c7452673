"""What the mutating webhook of JobSet adds, once, at creation (pkg/webhooks/jobset_webhook.go).

Nothing that is set is overwritten, and nothing is defaulted again on update. Besides, the webhook sends the object back
as Go encodes its types: fields without ``omitempty`` appear with their zero value. That is why a replicated job without
a name is accepted with the name ``""`` while a missing enum is refused as ``""``.
"""

from __future__ import annotations

from typing import Any

from sidings.api.kind import Schema
from sidings.api.objects import Object

_ALWAYS_ENCODED = ("metadata", "resources", "status")
"""Optional fields that are structs in Go, which ``omitempty`` does not omit; a pod's own resources are a pointer."""
_ZERO: dict[str, Any] = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": None}


def apply(jobset: Object) -> None:
    """Fill in the webhook's defaults; changes ``jobset``. Fields of the wrong type are left for validation."""
    spec = jobset.setdefault("spec", {})
    spec.setdefault("successPolicy", {"operator": "All"})
    spec.setdefault("startupPolicy", {"startupPolicyOrder": "AnyOrder"})
    network = spec.setdefault("network", {})
    network.setdefault("enableDNSHostnames", True)
    network.setdefault("publishNotReadyAddresses", True)
    for replicated_job in spec.get("replicatedJobs") or ():
        job_spec = replicated_job.setdefault("template", {}).setdefault("spec", {})
        job_spec.setdefault("completionMode", "Indexed")
        pod_spec = job_spec.setdefault("template", {}).setdefault("spec", {})
        if not pod_spec.get("restartPolicy"):
            pod_spec["restartPolicy"] = "OnFailure"
    for index, rule in enumerate((spec.get("failurePolicy") or {}).get("rules") or ()):
        if not rule.get("name"):
            rule["name"] = f"failurePolicyRule{index}"
    for policy in spec.get("volumeClaimPolicies") or ():
        policy.setdefault("retentionPolicy", {"whenDeleted": "Delete"})


def encode(value: Any, schema: Schema, top: bool = True) -> None:
    """Add what Go's encoding of the types behind ``schema`` adds; changes ``value``."""
    if isinstance(value, list):
        for item in value:
            encode(item, schema.get("items") or {}, top=False)
        return
    if not isinstance(value, dict):
        return
    properties = schema.get("properties") or {}
    for name in schema.get("required") or ():
        if name not in value:
            value[name] = {} if properties[name].get("type") == "object" else _ZERO[properties[name]["type"]]
    for name in _ALWAYS_ENCODED:
        if name in properties and name not in value and not top and not (name == "resources" and "containers" in value):
            value[name] = {}
    for name, child in properties.items():
        if name in value:
            encode(value[name], child, top=False)
