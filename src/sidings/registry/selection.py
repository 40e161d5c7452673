"""Which objects a list or a watch is about: a namespace, labels, fields.

The text of a selector is understood by ``api.selectors``; which field labels a kind has, and what upstream answers for
those it has not, is here. Upstream's kinds word that refusal in three ways, after the code that generated them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sidings.api.kind import Kind, Schema
from sidings.api.objects import Object
from sidings.api.selectors import FieldSelector, LabelSelector
from sidings.api.status import BadRequest

NAME, NAMESPACE = "metadata.name", "metadata.namespace"
_ZERO = {"integer": "0", "boolean": "false"}


class Selection:
    """The objects of ``kind`` in ``namespace`` (``""``: all) that both selectors match."""

    def __init__(self, kind: Kind, namespace: str, label_selector: str, field_selector: str) -> None:
        """Raises ``BadRequest`` for a selector that cannot be read or a field that the kind does not offer."""
        self._labels = LabelSelector.parse(label_selector)
        self._fields = FieldSelector.parse(field_selector) if field_selector else FieldSelector()
        for requirement in self._fields.requirements:
            if requirement.field not in (NAME, *kind.field_labels) and (
                requirement.field != NAMESPACE or not kind.resource.namespaced
            ):
                raise BadRequest(_unsupported(kind, requirement.field))
        self._kind = kind
        self.namespace = namespace or (self._fields.exact(NAMESPACE) or "" if kind.resource.namespaced else "")
        self.name = self._fields.exact(NAME)
        """The only name that matches, where the selector pins one."""
        self.everything = self._labels.everything and not self._fields.requirements
        """Whether there is no selector at all."""

    def matches(self, obj: Object) -> bool:
        if self.everything:
            return True
        metadata = obj["metadata"]
        if not self._labels.matches(metadata.get("labels")):
            return False
        return self._fields.matches(lambda label: _field(self._kind, obj, label))


def _field(kind: Kind, obj: Object, label: str) -> str:
    if label == NAME:
        return str(obj["metadata"]["name"])
    if label == NAMESPACE:
        return str(obj["metadata"].get("namespace") or "")
    path = kind.field_labels[label].removeprefix(".").split(".")
    value: Any = obj
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    if value is None:
        return _zero(kind.schema, path)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _zero(schema: Schema, path: Sequence[str]) -> str:
    """What an absent field reads as: Go's zero value of its type."""
    for step in path:
        schema = (schema.get("properties") or {}).get(step) or {}
    return _ZERO.get(schema.get("type", ""), "")


def _unsupported(kind: Kind, label: str) -> str:
    if kind.resource.kind == "Job":
        return f'field label "{label}" not supported for Job'
    if kind.builtin and not kind.field_labels:
        return f'"{label}" is not a known field selector: only "{NAME}", "{NAMESPACE}"'
    return f"field label not supported: {label}"
