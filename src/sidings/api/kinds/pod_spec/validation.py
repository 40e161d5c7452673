"""Rules of a pod spec as a whole, in the order in which the API server lists their errors."""

from __future__ import annotations

import ipaddress
from typing import Any

from sidings.api import label_rules
from sidings.api.fields import FieldError, invalid, not_supported, required
from sidings.api.kinds.pod_spec import containers, scheduling, security, volumes
from sidings.api.names import dns1123_label, dns1123_subdomain
from sidings.api.objects import Object

RESTART_POLICIES = ("Always", "OnFailure", "Never")
DNS_POLICIES = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
PREEMPTION_POLICIES = ("Never", "PreemptLowerPriority")
MAX_INT32 = 2**31 - 1


def validate_pod_spec(spec: Object, path: str) -> list[FieldError]:
    """Errors of a defaulted pod spec that lies at ``path``, such as ``spec`` or ``spec.template.spec``."""
    errors, known_volumes = volumes.validate(spec.get("volumes") or [], f"{path}.volumes")
    errors += containers.validate(spec, path, known_volumes)
    errors += _choice(spec, path, "restartPolicy", RESTART_POLICIES)
    errors += _choice(spec, path, "dnsPolicy", DNS_POLICIES)
    errors += label_rules.of_labels(spec.get("nodeSelector") or {}, f"{path}.nodeSelector")
    errors += security.validate_pod(spec, path)
    errors += _image_pull_secrets(spec, path)
    errors += scheduling.validate_affinity(spec.get("affinity") or {}, f"{path}.affinity")
    errors += _names(spec, path)
    errors += _numbers(spec, path)
    errors += scheduling.validate_tolerations(spec.get("tolerations") or [], f"{path}.tolerations")
    errors += scheduling.validate_gates(spec.get("schedulingGates") or [], f"{path}.schedulingGates")
    spread = spec.get("topologySpreadConstraints") or []
    errors += scheduling.validate_spread(spread, f"{path}.topologySpreadConstraints")
    errors += _host_aliases(spec.get("hostAliases") or [], f"{path}.hostAliases")
    errors += _choice(spec, path, "preemptionPolicy", PREEMPTION_POLICIES, optional=True)
    return errors


def _choice(
    spec: Object, path: str, field: str, choices: tuple[str, ...], *, optional: bool = False
) -> list[FieldError]:
    value = spec.get(field) or ""
    if value in choices or (optional and not value):
        return []
    return [not_supported(f"{path}.{field}", value, choices) if value else required(f"{path}.{field}")]


def _image_pull_secrets(spec: Object, path: str) -> list[FieldError]:
    references = spec.get("imagePullSecrets") or ()
    return [
        required(f"{path}.imagePullSecrets[{index}].name")
        for index, reference in enumerate(references)
        if not reference.get("name")
    ]


def _host_aliases(aliases: list[Object], path: str) -> list[FieldError]:
    errors = []
    for index, alias in enumerate(aliases):
        try:
            ipaddress.ip_address(alias.get("ip") or "")
        except ValueError:
            detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
            errors.append(invalid(f"{path}[{index}].ip", alias.get("ip") or "", detail))
        for name in alias.get("hostnames") or ():
            errors += [invalid(f"{path}[{index}].hostnames", name, text) for text in dns1123_subdomain(name)]
    return errors


def _names(spec: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    checks: tuple[tuple[str, Any], ...] = (
        ("serviceAccountName", dns1123_subdomain),
        ("nodeName", dns1123_subdomain),
        ("hostname", dns1123_label),
        ("subdomain", dns1123_label),
        ("priorityClassName", dns1123_subdomain),
        ("runtimeClassName", dns1123_subdomain),
    )
    for field, check in checks:
        value = spec.get(field)
        if value:
            errors += [invalid(f"{path}.{field}", value, message) for message in check(value)]
    return errors


def _numbers(spec: Object, path: str) -> list[FieldError]:
    errors = []
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= MAX_INT32:
        detail = f"must be between 1 and {MAX_INT32}, inclusive"
        errors.append(invalid(f"{path}.activeDeadlineSeconds", deadline, detail))
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0:
        errors.append(invalid(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than or equal to 0"))
    return errors
