"""Rules of the parts of a pod spec that say where it may run."""

from __future__ import annotations

from sidings.api.fields import FieldError, duplicate, forbidden, invalid, not_supported, required
from sidings.api.names import label_value, qualified_name
from sidings.api.objects import Object

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
NODE_OPERATORS = ("Exists", "DoesNotExist", "In", "NotIn", "Gt", "Lt")
TOLERATION_OPERATORS = ("Equal", "Exists")


def validate_node_selector(selector: dict[str, str], path: str) -> list[FieldError]:
    errors = []
    for key, value in selector.items():
        errors += [invalid(path, key, message) for message in qualified_name(key)]
        errors += [invalid(path, value, message) for message in label_value(value)]
    return errors


def validate_affinity(affinity: Object, path: str) -> list[FieldError]:
    """The node affinity; pod affinity has terms whose selectors are checked where they are used."""
    errors = []
    node = affinity.get("nodeAffinity") or {}
    hard = node.get("requiredDuringSchedulingIgnoredDuringExecution")
    if hard is not None:
        at = f"{path}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
        terms = hard.get("nodeSelectorTerms") or []
        if not terms:
            errors.append(required(at, "must have at least one node selector term"))
        for index, term in enumerate(terms):
            errors += _validate_term(term, f"{at}[{index}]")
    for index, choice in enumerate(node.get("preferredDuringSchedulingIgnoredDuringExecution") or ()):
        at = f"{path}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[{index}]"
        weight = choice.get("weight") or 0
        if not 1 <= weight <= 100:
            errors.append(invalid(f"{at}.weight", weight, "must be in the range 1-100"))
        errors += _validate_term(choice.get("preference") or {}, f"{at}.preference")
    return errors


def _validate_term(term: Object, path: str) -> list[FieldError]:
    errors = []
    for index, expression in enumerate(term.get("matchExpressions") or ()):
        at = f"{path}.matchExpressions[{index}]"
        operator, values = expression.get("operator") or "", expression.get("values") or []
        if operator in ("In", "NotIn") and not values:
            errors.append(required(f"{at}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
        elif operator in ("Exists", "DoesNotExist") and values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(forbidden(f"{at}.values", detail))
        elif operator in ("Gt", "Lt") and len(values) != 1:
            detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            errors.append(required(f"{at}.values", detail))
        elif operator not in NODE_OPERATORS:
            errors.append(invalid(f"{at}.operator", operator, "not a valid selector operator"))
        key = expression.get("key") or ""
        errors += [invalid(f"{at}.key", key, message) for message in qualified_name(key)]
    return errors


def validate_tolerations(tolerations: list[Object], path: str) -> list[FieldError]:
    errors = []
    for index, toleration in enumerate(tolerations):
        at = f"{path}[{index}]"
        key, operator = toleration.get("key") or "", toleration.get("operator") or ""
        value, effect = toleration.get("value") or "", toleration.get("effect") or ""
        if key:
            errors += [invalid(f"{at}.key", key, message) for message in qualified_name(key)]
        elif operator != "Exists":
            detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            errors.append(invalid(f"{at}.operator", operator, detail))
        if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
            errors.append(invalid(f"{at}.effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
        if operator in ("", "Equal"):
            errors += [invalid(f"{at}.operator", value, message) for message in label_value(value)]
        elif operator == "Exists":
            if value:
                errors.append(invalid(f"{at}.operator", value, "value must be empty when `operator` is 'Exists'"))
        else:
            errors.append(not_supported(f"{at}.operator", operator, TOLERATION_OPERATORS))
        if effect and effect not in EFFECTS:
            errors.append(not_supported(f"{at}.effect", effect, EFFECTS))
    return errors


def validate_gates(gates: list[Object], path: str) -> list[FieldError]:
    errors = []
    seen = set()
    for index, gate in enumerate(gates):
        name = gate.get("name") or ""
        errors += [invalid(f"{path}[{index}]", name, message) for message in qualified_name(name)]
        if name in seen:
            errors.append(duplicate(f"{path}[{index}]", name))
        seen.add(name)
    return errors
