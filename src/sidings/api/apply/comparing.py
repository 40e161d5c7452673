"""Which fields an object has, and which differ between two versions of it."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from sidings.api.apply import schema_shape as shape
from sidings.api.apply.fieldset import FieldSet, Path, Tree, field, with_itself
from sidings.api.kind import Schema

_ABSENT: Any = object()
T = TypeVar("T")


class Comparison(NamedTuple):
    """``added`` and ``removed`` hold maps and list elements themselves as well as what is in them."""

    added: FieldSet
    modified: FieldSet
    removed: FieldSet

    @property
    def changed(self) -> FieldSet:
        return self.added | self.modified

    def without(self, roots: FieldSet) -> Comparison:
        return Comparison(*(part.without(roots) for part in self))


def fields_of(value: Any, schema: Schema) -> FieldSet:
    """The fields that an applied configuration claims: its leaves, list elements and empty maps."""
    result = FieldSet()
    _collect(value, schema, (), result)
    return result


def compare(old: Any, new: Any, schema: Schema) -> Comparison:
    """What is different in ``new``."""
    result = Comparison(FieldSet(), FieldSet(), FieldSet())
    _compare(old, new, schema, (), result)
    return result


def _collect(value: Any, schema: Schema, path: Path, result: FieldSet) -> None:
    if isinstance(value, dict) and not shape.is_one_piece(schema):
        for name, below in value.items():
            inner = (*path, field(name))
            _collect(below, shape.member(schema, name) or shape.ANYTHING, inner, result)
            if below is None or below == {} or not shape.is_declared(schema, name):
                result.insert(inner)
        return
    elements = shape.elements(value, schema) if isinstance(value, list) else None
    if elements is None:
        result.insert(path)
        return
    for element, item in zip(elements, value, strict=True):
        _collect(item, shape.items(schema), (*path, element), result)
        result.insert((*path, element))


def _compare(old: Any, new: Any, schema: Schema, path: Path, result: Comparison) -> None:
    if old is _ABSENT:
        result.added.graft(path, _all_of(new, schema))
        return
    if old is new or old == new:
        return
    sample = new if old is None else old
    if isinstance(sample, dict):
        before, after = _as(dict, old), _as(dict, new)
        if (before or after) and before is not None and after is not None and not shape.is_one_piece(schema):
            _compare_maps(before, after, schema, path, result)
            _note_whole(new, path, result)
            return
    elif isinstance(sample, list):
        items, others = _as(list, old), _as(list, new)
        if (items or others) and items is not None and others is not None:
            left, right = shape.elements(items, schema), shape.elements(others, schema)
            if left is not None and right is not None:
                _compare_lists(_grouped(left, items), _grouped(right, others), schema, path, result)
                _note_whole(new, path, result)
                return
    if not _note_whole(new, path, result):
        result.modified.insert(path)


def _compare_maps(old: dict[str, Any], new: dict[str, Any], schema: Schema, path: Path, result: Comparison) -> None:
    for name in old.keys() | new.keys():
        before, after = old.get(name, _ABSENT), new.get(name, _ABSENT)
        _compare(before, after, shape.member(schema, name) or shape.ANYTHING, (*path, field(name)), result)


def _compare_lists(
    old: dict[str, list[Any]], new: dict[str, list[Any]], schema: Schema, path: Path, result: Comparison
) -> None:
    for element in old.keys() | new.keys():
        before, after = old.get(element, [_ABSENT]), new.get(element, [_ABSENT])
        inner = (*path, element)
        if len(before) == len(after) == 1:
            _compare(before[0], after[0], shape.items(schema), inner, result)
        elif before != after:
            # A key that occurs twice in stored data: the occurrences are compared as one piece.
            part = result.added if before == [_ABSENT] else result.removed if after == [_ABSENT] else result.modified
            part.insert(inner)


def _all_of(value: Any, schema: Schema) -> Tree:
    """FieldsV1 of a value that was not there before: itself and all its parts."""
    parts: Tree = {}
    if isinstance(value, dict) and not shape.is_one_piece(schema):
        for name, below in value.items():
            parts[field(name)] = _all_of(below, shape.member(schema, name) or shape.ANYTHING)
    elif isinstance(value, list) and (elements := shape.elements(value, schema)) is not None:
        for element, items in _grouped(elements, value).items():
            # A key that occurs twice is one piece, see above.
            parts[element] = _all_of(items[0], shape.items(schema)) if len(items) == 1 else {}
    return with_itself(parts)


def _note_whole(new: Any, path: Path, result: Comparison) -> bool:
    """Note that the value itself went, if it did."""
    if new is _ABSENT:
        result.removed.insert(path)
    return new is _ABSENT


def _as(type_: type[T], value: Any) -> T | None:
    """A map or list; what is absent or null is an empty one, and None stands for a value of another type."""
    if value is _ABSENT or value is None:
        return type_()
    return value if isinstance(value, type_) else None


def _grouped(elements: list[str], values: list[Any]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for element, value in zip(elements, values, strict=True):
        groups.setdefault(element, []).append(value)
    return groups
