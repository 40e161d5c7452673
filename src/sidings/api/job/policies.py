"""The rules on a Job's ``podFailurePolicy``, ``successPolicy`` and ``podReplacementPolicy``.

Messages are those of pkg/apis/batch/validation/validation.go (Kubernetes 1.36).
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import fields, names
from sidings.api.fields import FieldError
from sidings.api.job import indexes
from sidings.api.objects import Object

MOST_RULES = 20
MOST_PATTERNS = 20
MOST_EXIT_CODES = 255
LONGEST_INDEXES = 64 * 1024
ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
OPERATORS = ("In", "NotIn")
STATUSES = ("False", "True", "Unknown")


def pod_failure_policy(spec: Object) -> Iterator[FieldError]:
    if spec.get("podFailurePolicy") is None:
        return
    path = "spec.podFailurePolicy.rules"
    rules = spec["podFailurePolicy"].get("rules") or []
    if len(rules) > MOST_RULES:
        yield fields.too_many(path, len(rules), MOST_RULES)
    for index, rule in enumerate(rules):
        yield from _pod_failure_rule(spec, rule, f"{path}[{index}]")


def success_policy(spec: Object) -> Iterator[FieldError]:
    policy = spec.get("successPolicy")
    if policy is None:
        return
    if spec["completionMode"] != "Indexed":
        yield fields.invalid("spec.successPolicy", policy, "requires indexed completion mode")
        return
    path = "spec.successPolicy.rules"
    rules = policy.get("rules") or []
    if not rules:
        yield fields.required(path, "at least one rules must be specified when the successPolicy is specified")
    if len(rules) > MOST_RULES:
        yield fields.too_many(path, len(rules), MOST_RULES)
    for index, rule in enumerate(rules):
        yield from _success_rule(rule, spec.get("completions") or 0, f"{path}[{index}]")


def pod_replacement_policy(spec: Object) -> Iterator[FieldError]:
    allowed = ["Failed"] if spec.get("podFailurePolicy") is not None else ["Failed", "TerminatingOrFailed"]
    policy = spec["podReplacementPolicy"]
    if policy not in allowed:
        yield fields.not_supported("spec.podReplacementPolicy", policy, allowed)


def _pod_failure_rule(spec: Object, rule: Object, path: str) -> Iterator[FieldError]:
    action = rule.get("action") or ""
    if not action:
        yield fields.required(f"{path}.action", f"valid values: {_listed(ACTIONS)}")
    elif action not in ACTIONS:
        yield fields.not_supported(f"{path}.action", action, ACTIONS)
    elif action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
        yield fields.invalid(f"{path}.action", action, "requires the backoffLimitPerIndex to be set")
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or []
    if codes is not None:
        yield from _on_exit_codes(spec, codes, f"{path}.onExitCodes")
    if conditions:
        yield from _on_pod_conditions(conditions, f"{path}.onPodConditions")
    if codes is not None and conditions:
        yield fields.invalid_whole(path, "specifying both OnExitCodes and OnPodConditions is not supported")
    if codes is None and not conditions:
        yield fields.invalid_whole(path, "specifying one of OnExitCodes and OnPodConditions is required")


def _on_exit_codes(spec: Object, requirement: Object, path: str) -> Iterator[FieldError]:
    operator, values = requirement.get("operator") or "", requirement.get("values") or []
    if not operator:
        yield fields.required(f"{path}.operator", f"valid values: {_listed(OPERATORS)}")
    elif operator not in OPERATORS:
        yield fields.not_supported(f"{path}.operator", operator, OPERATORS)
    container = requirement.get("containerName")
    pod_spec = spec["template"].get("spec") or {}
    known = {c.get("name") for part in ("containers", "initContainers") for c in pod_spec.get(part) or ()}
    if container is not None and container not in known:
        detail = "must be one of the container or initContainer names in the pod template"
        yield fields.invalid(f"{path}.containerName", container, detail)
    if not values:
        yield fields.invalid(f"{path}.values", values, "at least one value is required")
    elif len(values) > MOST_EXIT_CODES:
        yield fields.too_many(f"{path}.values", len(values), MOST_EXIT_CODES)
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            yield fields.invalid(f"{path}.values[{index}]", value, "must not be 0 for the In operator")
        if value in values[:index]:
            yield fields.duplicate(f"{path}.values[{index}]", value)
    if values != sorted(values):
        yield fields.invalid(f"{path}.values", values, "must be ordered")


def _on_pod_conditions(patterns: list[Object], path: str) -> Iterator[FieldError]:
    if len(patterns) > MOST_PATTERNS:
        yield fields.too_many(path, len(patterns), MOST_PATTERNS)
    for index, pattern in enumerate(patterns):
        type_, status = pattern.get("type") or "", pattern.get("status") or ""
        for complaint in names.qualified_name(type_):
            yield fields.invalid(f"{path}[{index}].type", type_, complaint)
        if not status:
            yield fields.required(f"{path}[{index}].status", f"valid values: {_listed(STATUSES)}")
        elif status not in STATUSES:
            yield fields.not_supported(f"{path}[{index}].status", status, STATUSES)


def _success_rule(rule: Object, completions: int, path: str) -> Iterator[FieldError]:
    named, count = rule.get("succeededIndexes"), rule.get("succeededCount")
    if named is None and count is None:
        yield fields.required(path, "at least one of succeededCount or succeededIndexes must be specified")
    total = 0  # also of what cannot be read
    if named is not None:
        if len(named) > LONGEST_INDEXES:
            yield fields.too_long(f"{path}.succeededIndexes", LONGEST_INDEXES)
        try:
            total = indexes.parse_strictly(named, completions)
        except ValueError as error:
            yield fields.invalid(f"{path}.succeededIndexes", named, f"error parsing succeededIndexes: {error}")
    if count is None:
        return
    at = f"{path}.succeededCount"
    if count < 0:
        yield fields.invalid(at, count, "must be greater than or equal to 0")
    if count > completions:
        detail = f"must be less than or equal to {completions} (the number of specified completions)"
        yield fields.invalid(at, count, detail)
    if named is not None and count > total:
        where = "the number of indexes in the specified succeededIndexes field"
        yield fields.invalid(at, count, f"must be less than or equal to {total} ({where})")


def _listed(words: tuple[str, ...]) -> str:
    return "[" + " ".join(f'"{word}"' for word in words) + "]"
