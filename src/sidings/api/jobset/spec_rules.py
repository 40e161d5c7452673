"""CEL rules of a JobSet's spec, which TrainingRuntimes embed with their schema and so have too."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api.fields import FieldError, broken_rule
from sidings.api.objects import Object

STARTUP_AND_DEPENDS_ON = "StartupPolicy and DependsOn APIs are mutually exclusive"
CLAIM_NAMESPACE = "namespace cannot be set for VolumeClaimPolicies templates"


def check(spec: Object, path: str) -> Iterator[FieldError]:
    """The broken rules of ``spec``, which is at ``path`` of its object."""
    in_order = (spec.get("startupPolicy") or {}).get("startupPolicyOrder") == "InOrder"
    if in_order and any("dependsOn" in replicated_job for replicated_job in spec.get("replicatedJobs") or ()):
        yield broken_rule(path, spec, STARTUP_AND_DEPENDS_ON)
    for index, policy in enumerate(spec.get("volumeClaimPolicies") or ()):
        if any((template.get("metadata") or {}).get("namespace") for template in policy.get("templates") or ()):
            yield broken_rule(f"{path}.volumeClaimPolicies[{index}]", policy, CLAIM_NAMESPACE)
