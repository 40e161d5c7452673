"""Whether a ``metav1.LabelSelector`` in a spec is one (``ValidateLabelSelector`` of apimachinery v0.36)."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import label_rules, names
from sidings.api.fields import FieldError, forbidden, invalid, required
from sidings.api.objects import Object

VALUES_NEEDED = "must be specified when `operator` is 'In' or 'NotIn'"
VALUES_FORBIDDEN = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
NO_OPERATOR = "not a valid selector operator"


def errors(selector: Object, path: str) -> Iterator[FieldError]:
    """The broken rules of ``selector``, which is at ``path``."""
    yield from label_rules.of_labels(selector.get("matchLabels") or {}, f"{path}.matchLabels")
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        yield from _expression(expression, f"{path}.matchExpressions[{index}]")


def _expression(expression: Object, path: str) -> Iterator[FieldError]:
    operator, values = expression.get("operator") or "", expression.get("values") or ()
    if operator in ("In", "NotIn"):
        if not values:
            yield required(f"{path}.values", VALUES_NEEDED)
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            yield forbidden(f"{path}.values", VALUES_FORBIDDEN)
    else:
        yield invalid(f"{path}.operator", operator, NO_OPERATOR)
    key = expression.get("key") or ""
    yield from _complaints(f"{path}.key", key, names.qualified_name(key))
    for index, value in enumerate(values):
        yield from _complaints(f"{path}.values[{index}]", value, names.label_value(value))


def _complaints(path: str, value: str, found: list[str]) -> Iterator[FieldError]:
    for complaint in found:
        yield invalid(path, value, complaint)
