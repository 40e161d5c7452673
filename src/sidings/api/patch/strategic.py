"""Strategic merge patch: a merge patch that knows from the schema which lists are sets and which are keyed.

The schema says so with ``x-kubernetes-patch-strategy: merge`` and ``x-kubernetes-patch-merge-key``; every other list is
replaced whole. Directives in the patch: ``$patch: replace|delete|merge`` in a map or list element,
``$setElementOrder/<list>``, ``$deleteFromPrimitiveList/<list>`` and ``$retainKeys``. Rules and messages are those of
``k8s.io/apimachinery/pkg/util/strategicpatch`` (v0.36); the order of merged lists is in ``element_order``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from sidings.api import golang
from sidings.api.kind import Schema
from sidings.api.objects import Object, copy_of
from sidings.api.patch.element_order import ordered
from sidings.api.status import BadRequest, Invalid, UnexplainedError

PATCH = "$patch"
RETAIN_KEYS = "$retainKeys"
SET_ELEMENT_ORDER = "$setElementOrder/"
DELETE_FROM_PRIMITIVE_LIST = "$deleteFromPrimitiveList/"

BAD_PRIMITIVE_LIST = "invalid patch format of primitive list"
BAD_RETAIN_KEYS = "invalid patch format of retainKeys"
BAD_ELEMENT_ORDER = "invalid patch format of setElementOrder list"

Identity = Callable[[Any], Hashable]

_EMPTY: Schema = {}


def apply(document: Object, patch: Any, schema: Schema) -> Object:
    """``document`` with ``patch`` merged in by ``schema``; the result shares no changed part with the inputs.

    Raises ``BadRequest`` for a malformed directive or a patch that is no map, and ``UnexplainedError`` for a list
    element without its merge key.
    """
    if patch is None:
        return document
    if not isinstance(patch, dict):
        raise BadRequest(
            f"error decoding patch: json: cannot unmarshal {golang.json_type(patch)} into Go value of type "
            "map[string]interface {}"
        )
    return _merge_map(document, patch, schema)


def _merge_map(live: Mapping[str, Any], patch: Mapping[str, Any], schema: Schema) -> Object:
    directive = patch.get(PATCH)
    if directive is not None:
        return _by_directive(live, patch, schema, directive)
    result = dict(live)
    _retain_keys(result, patch)
    done = _merge_ordered_lists(result, patch, schema)
    for key, value in patch.items():
        if key in done or key == RETAIN_KEYS or key.startswith(SET_ELEMENT_ORDER):
            continue
        if key.startswith(DELETE_FROM_PRIMITIVE_LIST):
            _delete_from_list(result, key.removeprefix(DELETE_FROM_PRIMITIVE_LIST), value)
        elif value is None:
            result.pop(key, None)
        else:
            result[key] = _merge_value(result.get(key), value, _member(schema, key))
    return result


def _by_directive(live: Mapping[str, Any], patch: Mapping[str, Any], schema: Schema, directive: Any) -> Object:
    rest = {key: value for key, value in patch.items() if key != PATCH}
    match directive:
        case "replace":
            new: Object = copy_of(rest)
            return new
        case "delete":
            return {}
        case "merge":
            return _merge_map(live, rest, schema)
    raise Invalid(f"unknown patch type found: {golang.text(directive)}")


def _merge_value(live: Any, patch: Any, schema: Schema) -> Any:
    if isinstance(patch, dict):
        if isinstance(live, dict) and "replace" not in _strategies(schema):
            return _merge_map(live, patch, schema)
        return _merge_map({}, patch, schema)
    if isinstance(patch, list):
        if "merge" not in _strategies(schema):
            return copy_of(patch)
        return _merge_list(live if isinstance(live, list) else [], patch, schema)
    return patch


def _merge_list(live: list[Any], patch: list[Any], schema: Schema) -> list[Any]:
    if not live and not patch:
        return []  # of lists without items nobody knows which kind they are
    if not all(isinstance(item, dict) for item in [*live, *patch]):
        if any(isinstance(item, list) for item in [*live, *patch]):
            raise Invalid("lists of lists are not supported")
        both = {_scalar(item): item for item in [*live, *patch]}
        return ordered(list(both.values()), patch, live, _scalar)
    identity = _by_key(_merge_key(schema))
    items = _items(schema)
    kept, changes = _special_elements(live, patch, identity)
    merged = list(kept)
    for change in changes:
        # A live list may hold a key twice (port 53 for TCP and UDP): the patch means the first.
        place = next((i for i, item in enumerate(merged) if identity(item) == identity(change)), None)
        if place is None:
            merged.append(_merge_map({}, change, items))
        else:
            merged[place] = _merge_map(merged[place], change, items)
    return ordered(merged, changes, kept, identity)


def _special_elements(live: list[Object], patch: list[Object], identity: Identity) -> tuple[list[Object], list[Object]]:
    """The live list after ``$patch: replace`` and ``$patch: delete`` elements, and the other elements of the patch."""
    changes: list[Object] = []
    deleted: set[Hashable] = set()
    replaced = False
    for item in patch:
        match item.get(PATCH):
            case None | "merge":
                changes.append(item)
            case "delete":
                deleted.add(identity(item))
            case "replace":
                replaced = True
                if len(item) > 1:
                    changes.append({key: value for key, value in item.items() if key != PATCH})
            case other:
                raise Invalid(f"unknown patch type found: {golang.text(other)}")
    kept = [] if replaced else [item for item in live if identity(item) not in deleted]
    return kept, changes


def _merge_ordered_lists(result: Object, patch: Mapping[str, Any], schema: Schema) -> set[str]:
    """Merge the lists of ``patch`` that come with an order for all their elements; returns their keys."""
    done: set[str] = set()
    for directive, order in patch.items():
        if not directive.startswith(SET_ELEMENT_ORDER):
            continue
        field = directive.removeprefix(SET_ELEMENT_ORDER)
        if not isinstance(order, list):
            raise BadRequest(BAD_ELEMENT_ORDER)
        live, changes = result.get(field), patch.get(field)
        if field in patch and changes is None:
            continue
        field_schema = _member(schema, field)
        keyed = any(isinstance(item, dict) for item in order)
        identity = _by_key(_merge_key(field_schema)) if keyed else _scalar
        _check_order(changes or [], order, identity)
        merged = list(live or []) if changes is None else _merge_value(live, changes, field_schema)
        if live is not None or changes is not None:
            result[field] = ordered(merged, order, live or [], identity)
        done.add(field)
    return done


def _check_order(changes: list[Any], order: list[Any], identity: Identity) -> None:
    """Every element that the patch changes or adds must have a place in its order."""
    known = set(map(identity, order))
    for item in changes:
        if isinstance(item, dict) and item.get(PATCH) in ("delete", "replace"):
            continue
        if identity(item) not in known:
            raise BadRequest(
                f"The order in patch list:\n{golang.text(changes)}\n doesn't match $setElementOrder list:\n"
                f"{golang.text(order)}\n"
            )


def _delete_from_list(result: Object, field: str, values: Any) -> None:
    if not isinstance(values, list):
        raise BadRequest(BAD_PRIMITIVE_LIST)
    if isinstance(result.get(field), list):
        gone = set(map(_scalar, values))
        result[field] = [item for item in result[field] if _scalar(item) not in gone]


def _retain_keys(result: Object, patch: Mapping[str, Any]) -> None:
    """Drop what ``$retainKeys`` does not list: how a union changes from one member to another."""
    if RETAIN_KEYS not in patch:
        return
    retained = patch[RETAIN_KEYS]
    if not isinstance(retained, list):
        raise BadRequest(BAD_RETAIN_KEYS)
    if any(not key.startswith("$") and value is not None and key not in retained for key, value in patch.items()):
        raise BadRequest(BAD_RETAIN_KEYS)
    for key in [key for key in result if key not in retained]:
        del result[key]


def _member(schema: Schema, key: str) -> Schema:
    properties = schema.get("properties")
    if properties and key in properties:
        found: Schema = properties[key]
        return found
    additional = schema.get("additionalProperties")
    return additional if isinstance(additional, dict) else _EMPTY


def _items(schema: Schema) -> Schema:
    items = schema.get("items")
    return items if isinstance(items, dict) else _EMPTY


def _strategies(schema: Schema) -> list[str]:
    return str(schema.get("x-kubernetes-patch-strategy") or "").split(",")


def _merge_key(schema: Schema) -> str:
    key = schema.get("x-kubernetes-patch-merge-key")
    if not key:
        raise UnexplainedError("cannot merge lists without merge key")
    return str(key)


def _by_key(merge_key: str) -> Identity:
    """The identity of a list element that is a map."""

    def identity(item: Any) -> Hashable:
        if not isinstance(item, dict) or merge_key not in item:
            raise UnexplainedError(f"map: {golang.text(item)} does not contain declared merge key: {merge_key}")
        return _scalar(item[merge_key])

    return identity


def _scalar(value: Any) -> Hashable:
    """The identity of a list element that is none; JSON text, because in Python 1 == True."""
    return json.dumps(value)
