"""Rules of a container's own restartPolicy and restartPolicyRules (v1.36: beta and on)."""

from __future__ import annotations

from sidings.api.fields import FieldError, not_supported, required, too_many
from sidings.api.objects import Object

POLICIES = ("Always", "Never", "OnFailure")
ACTIONS = ("Restart",)
OPERATORS = ("In", "NotIn")
MAX_RULES, MAX_CODES = 20, 255


def validate(container: Object, path: str) -> list[FieldError]:
    """As ``validateContainerRestartPolicy`` of ``pkg/apis/core/validation``."""
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or []
    errors: list[FieldError] = []
    at = f"{path}.restartPolicy"
    if policy is None and rules:
        errors.append(required(at, "must specify restartPolicy when restart rules are used"))
    elif policy is not None and policy not in POLICIES:
        errors.append(not_supported(at, policy, POLICIES))
    if len(rules) > MAX_RULES:
        errors.append(too_many(f"{path}.restartPolicyRules", len(rules), MAX_RULES))
    for index, rule in enumerate(rules):
        errors += _validate_rule(rule, f"{path}.restartPolicyRules[{index}]")
    return errors


def _validate_rule(rule: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    action, codes = rule.get("action") or "", rule.get("exitCodes")
    if action not in ACTIONS:
        errors.append(not_supported(f"{path}.action", action, ACTIONS))
    if codes is None:
        return [*errors, required(f"{path}.exitCodes", "must be specified")]
    operator, values = codes.get("operator") or "", codes.get("values") or []
    if operator not in OPERATORS:
        errors.append(not_supported(f"{path}.exitCodes.operator", operator, OPERATORS))
    if len(values) > MAX_CODES:
        errors.append(too_many(f"{path}.exitCodes.values", len(values), MAX_CODES))
    return errors
