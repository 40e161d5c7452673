"""Which objects a list or a watch is about: a namespace, labels, fields.

The text of a selector is understood by ``api.selectors``; which field labels a kind has, and what upstream answers for
those it has not, is here. Upstream's kinds word that refusal in three ways, after the code that generated them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.selectors import FieldSelector, LabelSelector
from sidings.api.status import BadRequest

NAME, NAMESPACE = "metadata.name", "metadata.namespace"
_ZERO = {"integer": "0", "boolean": "false"}
_SELECTIVE = ("uid", "name", "nodeName")
"""Fields that few objects share, unlike a type or a reason."""


class Selection:
    """The objects of ``kind`` in ``namespace`` (``""``: all) that both selectors match."""

    def __init__(self, kind: Kind, namespace: str, label_selector: str, field_selector: str) -> None:
        """Raises ``BadRequest`` for a selector that cannot be read or a field that the kind does not offer."""
        self._labels = LabelSelector.parse(label_selector)
        self._fields = FieldSelector.parse(field_selector) if field_selector else FieldSelector()
        self._columns = {
            requirement.field: _column(kind, requirement.field) for requirement in self._fields.requirements
        }
        self.namespace = namespace or (self._fields.exact(NAMESPACE) or "" if kind.resource.namespaced else "")
        self.name = self._fields.exact(NAME)
        """The only name that matches, where the selector pins one."""
        self.pin = self._pin()
        """A place and the only text there that matches, where a selector pins one: a direct path to the objects."""
        self.everything = self._labels.everything and not self._fields.requirements
        """Whether there is no selector at all."""

    def _pin(self) -> tuple[tuple[str, ...], str] | None:
        if label := self._labels.exact():
            return ("metadata", "labels", label[0]), label[1]
        for field, column in self._columns.items():
            value = self._fields.exact(field)
            # What is not there reads as the zero value, and is in no index.
            if column.path[-1] in _SELECTIVE and value and not column.zero:
                return column.path, value
        return None

    def matches(self, obj: Object) -> bool:
        if self.everything:
            return True
        if not self._labels.matches(obj["metadata"].get("labels")):
            return False
        return not self._columns or self._fields.matches(lambda label: self._columns[label].text(obj))


class _Column(NamedTuple):
    """Where a field label points, and what it reads as where nothing is there: Go's zero value of its type."""

    path: tuple[str, ...]
    zero: str

    def text(self, obj: Object) -> str:
        value: Any = obj
        for step in self.path:
            value = value.get(step) if isinstance(value, dict) else None
        if value is None:
            return self.zero
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value)


def _column(kind: Kind, label: str) -> _Column:
    if label == NAME or (label == NAMESPACE and kind.resource.namespaced):
        return _Column(tuple(label.split(".")), "")
    if label not in kind.field_labels:
        raise BadRequest(_unsupported(kind, label))
    path = tuple(kind.field_labels[label].removeprefix(".").split("."))
    schema = kind.schema
    for step in path:
        schema = (schema.get("properties") or {}).get(step) or {}
    return _Column(path, _ZERO.get(schema.get("type", ""), ""))


def _unsupported(kind: Kind, label: str) -> str:
    if kind.resource.kind == "Job":
        return f'field label "{label}" not supported for Job'
    if kind.builtin and not kind.field_labels:
        return f'"{label}" is not a known field selector: only "{NAME}", "{NAMESPACE}"'
    return f"field label not supported: {label}"
