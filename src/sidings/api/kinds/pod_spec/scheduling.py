"""Rules of the parts of a pod spec that say where it may run."""

from __future__ import annotations

from sidings.api import selector_rules
from sidings.api.fields import FieldError, duplicate, forbidden, invalid, not_supported, required
from sidings.api.names import label_value, qualified_name
from sidings.api.objects import Object

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
NODE_OPERATORS = ("Exists", "DoesNotExist", "In", "NotIn", "Gt", "Lt")
TOLERATION_OPERATORS = ("Equal", "Exists")
UNSATISFIABLE = ("DoNotSchedule", "ScheduleAnyway")


def validate_affinity(affinity: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
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
    for name in ("podAffinity", "podAntiAffinity"):
        errors += _validate_pod_affinity(affinity.get(name) or {}, f"{path}.{name}")
    return errors


def _validate_pod_affinity(affinity: Object, path: str) -> list[FieldError]:
    errors = []
    hard, soft = (f"{word}DuringSchedulingIgnoredDuringExecution" for word in ("required", "preferred"))
    for index, term in enumerate(affinity.get(hard) or ()):
        errors += _validate_pod_term(term, f"{path}.{hard}[{index}]")
    for index, choice in enumerate(affinity.get(soft) or ()):
        at = f"{path}.{soft}[{index}]"
        weight = choice.get("weight") or 0
        if not 1 <= weight <= 100:
            errors.append(invalid(f"{at}.weight", weight, "must be in the range 1-100"))
        errors += _validate_pod_term(choice.get("podAffinityTerm") or {}, f"{at}.podAffinityTerm")
    return errors


def _validate_pod_term(term: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for name in ("labelSelector", "namespaceSelector"):
        if term.get(name) is not None:
            errors += selector_rules.errors(term[name], f"{path}.{name}")
    return errors + _topology_key(term.get("topologyKey") or "", f"{path}.topologyKey")


def _topology_key(key: str, path: str) -> list[FieldError]:
    if not key:
        return [required(path, "can not be empty")]
    return [invalid(path, key, message) for message in qualified_name(key)]


def validate_spread(constraints: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen = set()
    for index, each in enumerate(constraints):
        at, skew = f"{path}[{index}]", each.get("maxSkew") or 0
        if skew <= 0:
            errors.append(invalid(f"{at}.maxSkew", skew, "must be greater than zero"))
        key, otherwise = each.get("topologyKey") or "", each.get("whenUnsatisfiable") or ""
        errors += _topology_key(key, f"{at}.topologyKey")
        if otherwise not in UNSATISFIABLE:
            errors.append(not_supported(f"{at}.whenUnsatisfiable", otherwise, UNSATISFIABLE))
        if (key, otherwise) in seen:
            errors.append(duplicate(f"{at}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {otherwise}}}"))
        seen.add((key, otherwise))
        if each.get("labelSelector") is not None:
            errors += selector_rules.errors(each["labelSelector"], f"{at}.labelSelector")
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
