"""An applied configuration put into the live object, and fields taken out of an object."""

from __future__ import annotations

from typing import Any

from sidings.api.apply import schema_shape as shape
from sidings.api.apply.fieldset import FieldSet, field
from sidings.api.kind import Schema
from sidings.api.objects import copy_of


def merge(live: Any, applied: Any, schema: Schema) -> Any:
    """``live`` with what ``applied`` says; what it does not mention stays. The inputs are not changed.

    An empty or null map or list takes nothing away: an apply removes only what its manager has applied before.
    """
    if isinstance(live, dict) and live and (applied is None or isinstance(applied, dict)):
        if not shape.is_one_piece(schema):
            return _merge_maps(live, applied or {}, schema)
    elif isinstance(live, list) and live and (applied is None or isinstance(applied, list)):
        before, wanted = shape.elements(live, schema), shape.elements(applied or [], schema)
        if before is not None and wanted is not None:
            return _merge_lists(live, before, applied or [], wanted, schema)
    return copy_of(applied)


def _merge_maps(live: dict[str, Any], applied: dict[str, Any], schema: Schema) -> dict[str, Any]:
    result = dict(live)
    for name, value in applied.items():
        if name in live:
            result[name] = merge(live[name], value, shape.member(schema, name) or shape.ANYTHING)
        else:
            result[name] = copy_of(value)
    return result


def _merge_lists(
    live: list[Any], before: list[str], applied: list[Any], wanted: list[str], schema: Schema
) -> list[Any]:
    """Items of both in the order of ``applied``, live-only items behind the neighbour they followed.

    ``before`` and ``wanted`` are the elements of ``live`` and ``applied``. A live item that both have is passed over
    until ``applied`` comes to it; one that only ``live`` has is taken as soon as it is met.
    """
    by_element: dict[str, Any] = {}
    for element, item in zip(before, live, strict=True):
        by_element.setdefault(element, item)
    mentioned = set(wanted)
    shared = [element for element in wanted if element in by_element]
    taken = 0
    result: list[Any] = []
    i = j = 0
    while i < len(before) or j < len(wanted):
        if i < len(before):
            element = before[i]
            if element not in mentioned:
                result.append(live[i])
                i += 1
                continue
            if j < len(wanted) and element != wanted[j] and taken < len(shared) and element != shared[taken]:
                i += 1
                continue
            if element in shared[:taken] or (j < len(wanted) and element == wanted[j]):
                i += 1
        if j < len(wanted):
            element, item = wanted[j], applied[j]
            if element in by_element:
                result.append(merge(by_element[element], item, shape.items(schema)))
                taken += 1
            else:
                result.append(copy_of(item))
            j += 1
    return result


def remove(value: Any, fields: FieldSet, schema: Schema) -> Any:
    """``value`` without ``fields``; a map or list that loses its last part is gone as well."""
    if not fields:
        return value
    if isinstance(value, dict) and not shape.is_one_piece(schema):
        kept: dict[str, Any] = {}
        for name, below in value.items():
            element = field(name)
            if fields.has(element):
                continue
            inner = fields.below(element)
            rest = remove(below, inner, shape.member(schema, name) or shape.ANYTHING) if inner else below
            if rest is not None or below is None:
                kept[name] = rest
        return kept or None
    elements = shape.elements(value, schema) if isinstance(value, list) else None
    if elements is None:
        return value
    items = []
    for element, item in zip(elements, value, strict=True):
        if fields.has(element):
            continue
        inner = fields.below(element)
        items.append(remove(item, inner, shape.items(schema)) if inner else item)
    return items or None
