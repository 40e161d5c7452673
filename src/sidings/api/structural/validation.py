"""Whether an object fits its schema, in the words of the API server.

The messages are those of ``k8s.io/kube-openapi/pkg/validation`` as ``k8s.io/apiextensions-apiserver`` (v0.36) turns
them into field errors: most say the path twice, first as the field, then ``... in body``. List maps and sets are
checked for duplicates after everything else.

CEL rules (``x-kubernetes-validations``) are not run here: those of our own kinds are code in ``kinds/``. But a schema
that has any says so after errors that keep the API server from running them, as the API server does.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sidings.api import fields, go_regexp, timestamps
from sidings.api.fields import FieldError
from sidings.api.kind import Schema
from sidings.api.objects import Object
from sidings.api.structural.node import Node, Path, node_of, text_of
from sidings.api.structural.ratcheting import MISSING, is_unchanged, partner

_BLOCKING = frozenset(
    {
        "FieldValueRequired",
        "FieldValueNotSupported",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    }
)

RULES_NOT_CHECKED = FieldError(
    fields.NO_PATH,
    "FieldValueInvalid",
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing "
    "errors to complete validation",
)


def validate(schema: Schema, obj: Any, path: str = "", *, old: Any = MISSING) -> list[FieldError]:
    """All errors of ``obj``; empty if it fits. ``path`` is where it lies, if it is not a whole object.

    ``old``: what was there before; what has not changed since is borne (``ratcheting``).
    """
    node = node_of(schema)
    return _validated(node, obj, old, (None, path) if path else None, has_rules=node.has_rules)


def validate_status(schema: Schema, obj: Object, *, old: Object | None = None) -> list[FieldError]:
    """The errors of ``status`` alone, as a write to ``/status`` is checked.

    Upstream validates it apart, so its messages say ``restarts in body`` where the field is ``status.restarts``.
    """
    node = node_of(schema)
    status = node.properties.get("status")
    if status is None or "status" not in obj:
        return []
    before = (old or {}).get("status", MISSING)
    return _validated(status, obj["status"], before, (None, "status"), has_rules=node.has_rules)


def _validated(node: Node, value: Any, old: Any, root: Path, *, has_rules: bool) -> list[FieldError]:
    walk = _Walk(root)
    walk.value(node, value, root)
    if old is not MISSING and (walk.errors or walk.duplicates):
        walk = _RatchetingWalk(root, old)
        walk.value(node, value, root)
    walk.errors += walk.duplicates
    if has_rules and any(error.reason in _BLOCKING for error in walk.errors):
        walk.errors.append(RULES_NOT_CHECKED)
    return walk.errors


class _Walk:
    def __init__(self, root: Path) -> None:
        self.prefix = f"{text_of(root)}." if root else ""
        self.errors: list[FieldError] = []
        self.duplicates: list[FieldError] = []

    def value(self, node: Node, value: Any, path: Path) -> None:
        if type(value) is not node.python and not _fits(node, value):
            if value is not None or not node.nullable:
                self.wrong_type(node, value, path)
            return
        if node.limited:
            self.limits(node, value, path)
        if isinstance(value, dict):
            self.members(node, value, path)
        elif isinstance(value, list):
            self.elements(node, value, path)

    def members(self, node: Node, value: Object, path: Path) -> None:
        for name in node.required:
            if name not in value:
                self.errors.append(fields.required(text_of((path, name))))
        properties, additional = node.properties, node.additional
        for name, item in value.items():
            child = properties.get(name, additional)
            if child is not None and type(item) is not child.exact:
                self.value(child, item, (path, name))

    def elements(self, node: Node, value: list[Any], path: Path) -> None:
        items = node.items
        if items is not None:
            for index, item in enumerate(value):
                if type(item) is not items.exact:
                    self.value(items, item, (path, index))
        if node.list_type in ("map", "set") and len(value) > 1:
            self.unique(node, value, path)

    def unique(self, node: Node, value: list[Any], path: Path) -> None:
        seen = set()
        for index, item in enumerate(value):
            if node.list_type == "set":
                key = _hashable(item)
            elif isinstance(item, dict):
                key = tuple([_hashable(item.get(name)) for name in node.list_keys])
            else:
                continue
            if key in seen:
                shown = item
                if node.list_type == "map":
                    shown = {name: item[name] for name in node.list_keys if name in item}
                self.duplicates.append(fields.duplicate(text_of((path, index)), shown))
            seen.add(key)

    def wrong_type(self, node: Node, value: Any, path: Path) -> None:
        name = _type_name(value)
        wanted = "integer,string" if node.type == "int-or-string" else node.type
        detail = f'must be of type {wanted}: "{name}"'
        self.errors.append(fields.type_invalid(text_of(path), name, f"{self.in_body(path)} {detail}"))

    def in_body(self, path: Path) -> str:
        return f"{text_of(path).removeprefix(self.prefix)} in body"

    def limits(self, node: Node, value: Any, path: Path) -> None:
        schema = node.schema
        if "enum" in schema and value not in schema["enum"]:
            supported = [item if isinstance(item, str) else json.dumps(item) for item in schema["enum"]]
            self.errors.append(fields.not_supported(text_of(path), value, supported))
        if isinstance(value, str):
            self.string_limits(node, value, path)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.number_limits(schema, value, path)
        elif isinstance(value, list):
            self.size_limits(schema, len(value), "Items", "items", path)
        elif isinstance(value, dict):
            self.size_limits(schema, len(value), "Properties", "properties", path)
        if node.combined:
            self.combinations(schema, value, path)

    def fail(self, path: Path, value: Any, detail: str) -> None:
        self.errors.append(fields.invalid(text_of(path), value, f"{self.in_body(path)} {detail}"))

    def string_limits(self, node: Node, value: str, path: Path) -> None:
        """Length and pattern: the first that is broken is told, then the format."""
        schema = node.schema
        if "maxLength" in schema and len(value) > schema["maxLength"]:
            self.errors.append(fields.too_long(text_of(path), schema["maxLength"]))
        elif "minLength" in schema and len(value) < schema["minLength"]:
            self.fail(path, value, f"should be at least {schema['minLength']} chars long")
        elif node.pattern:
            self.pattern(node.pattern, value, path)
        check = _FORMATS.get(node.format)
        if check is not None and not check(value):
            self.fail(path, value, f"must be of type {node.format}: {json.dumps(value)}")

    def pattern(self, pattern: str, value: str, path: Path) -> None:
        try:
            found, why = go_regexp.found(pattern, value), ""
        except go_regexp.PatternError as error:
            found, why = False, f", which cannot be asked: {error}"
        if not found:
            self.fail(path, value, f"should match '{pattern}'{why}")

    def number_limits(self, schema: Schema, value: float, path: Path) -> None:
        if "minimum" in schema:
            low, exclusive = schema["minimum"], schema.get("exclusiveMinimum", False)
            if value < low or (exclusive and value == low):
                self.fail(path, value, f"should be greater than {'' if exclusive else 'or equal to '}{low}")
        if "maximum" in schema:
            high, exclusive = schema["maximum"], schema.get("exclusiveMaximum", False)
            if value > high or (exclusive and value == high):
                self.fail(path, value, f"should be less than {'' if exclusive else 'or equal to '}{high}")
        if "multipleOf" in schema and value % schema["multipleOf"]:
            self.fail(path, value, f"should be a multiple of {schema['multipleOf']}")

    def size_limits(self, schema: Schema, size: int, suffix: str, noun: str, path: Path) -> None:
        most, least = schema.get(f"max{suffix}"), schema.get(f"min{suffix}")
        if most is not None and size > most:
            self.errors.append(fields.too_many(text_of(path), size, most))
        if least is not None and size < least:
            self.fail(path, size, f"should have at least {least} {noun}")

    def combinations(self, schema: Schema, value: Any, path: Path) -> None:
        for sub in schema.get("allOf", ()):
            self.value(node_of(sub), value, path)
        where = f'"{text_of(path).removeprefix(self.prefix)}"'
        if "anyOf" in schema and not any(_agrees(sub, value) for sub in schema["anyOf"]):
            self.errors.append(fields.invalid(text_of(path), "", f"{where} must validate at least one schema (anyOf)"))
        if "oneOf" in schema:
            fitting = sum(_agrees(sub, value) for sub in schema["oneOf"])
            if fitting != 1:
                found = "Found none valid" if not fitting else f"Found {fitting} valid alternatives"
                detail = f"{where} must validate one and only one schema (oneOf). {found}"
                self.errors.append(fields.invalid(text_of(path), "", detail))
        if "not" in schema and _agrees(schema["not"], value):
            self.errors.append(fields.invalid(text_of(path), "", f"{where} must not validate the schema (not)"))


class _RatchetingWalk(_Walk):
    """Leaves out the errors of values that were there before. Only who has errors is walked over like this."""

    def __init__(self, root: Path, old: Any) -> None:
        super().__init__(root)
        self._root = root
        self._places: dict[int, tuple[Node, Any]] = {}
        """By the identity of a path: the node and the old value there."""
        self._old = old

    def value(self, node: Node, value: Any, path: Path) -> None:
        old = self._old if path is self._root else self._old_at(path, value)
        around = self._places.get(id(path))
        self._places[id(path)] = node, old
        errors, duplicates = len(self.errors), len(self.duplicates)
        super().value(node, value, path)
        if old is not MISSING and is_unchanged(value, old):
            del self.errors[errors:], self.duplicates[duplicates:]
        if around is not None:  # a schema of allOf looks at the same place
            self._places[id(path)] = around

    def _old_at(self, path: Path, value: Any) -> Any:
        assert path is not None, "only the root may have no path"
        node, holder = self._places[id(path[0])]
        if isinstance(path[1], int):
            return partner(value, holder, node.list_keys if node.list_type == "map" else ())
        return holder.get(path[1], MISSING) if isinstance(holder, dict) else MISSING


def _hashable(value: Any) -> Any:
    """``value`` for a look-up of equal ones; JSON tells ``1`` from ``true``, Python does not."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True), type(value)


def _agrees(schema: Schema, value: Any) -> bool:
    walk = _Walk(None)
    walk.value(node_of(schema), value, None)
    return not walk.errors


def _fits(node: Node, value: Any) -> bool:
    match node.type:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "int-or-string":
            return isinstance(value, int | str) and not isinstance(value, bool)
    return True


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", int: "integer", float: "number", list: "array"}.get(type(value), "object")


def _is_time(value: str) -> bool:
    try:
        timestamps.from_text(value)
    except ValueError:
        return False
    return True


_FORMATS: dict[str, Callable[[str], bool]] = {"date-time": _is_time}
