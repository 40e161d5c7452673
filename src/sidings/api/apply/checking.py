"""Whether an applied configuration fits the schema well enough to know its fields.

Unlike an ordinary write, an apply with a field that the schema does not have is refused whatever ``fieldValidation``
says, because nobody could own that field. Limits, enums and required fields are not looked at here.
"""

from __future__ import annotations

from typing import Any

from sidings.api import golang, spelling
from sidings.api.apply import fieldset
from sidings.api.apply import schema_shape as shape
from sidings.api.apply.fieldset import Path, field
from sidings.api.kind import Schema


def complaints(value: Any, schema: Schema) -> list[str]:
    """``<path>: <what>`` for everything that does not fit, as structured-merge-diff words it."""
    found: list[str] = []
    _check(value, schema, (), found)
    return found


def _check(value: Any, schema: Schema, path: Path, found: list[str]) -> None:
    def complain(what: str) -> None:
        found.append(f"{fieldset.text_of(path)}: {what}" if path else what)

    if value is None:
        return
    type_ = "" if schema.get("x-kubernetes-int-or-string") else schema.get("type")
    if type_ == "object" or (not type_ and isinstance(value, dict)):
        if not isinstance(value, dict):
            complain(f"expected map, got &{{{golang.text(value)}}}")
            return
        _check_map(value, schema, path, found)
    elif type_ == "array":
        if not isinstance(value, list):
            complain(f"expected list, got &{{{golang.text(value)}}}")
            return
        _check_list(value, schema, path, found)
    elif type_ == "string" and not isinstance(value, str):
        if schema.get("format") != "quantity" or isinstance(value, bool | dict | list):
            complain(f"expected string, got &value.valueUnstructured{{Value:{golang.text(value)}}}")
    elif type_ in ("integer", "number") and (isinstance(value, bool) or not isinstance(value, int | float)):
        complain(f"expected numeric (int or float), got {_go_kind(value)}")
    elif type_ == "boolean" and not isinstance(value, bool):
        complain(f"expected boolean, got {_go_kind(value)}")


def _check_map(value: dict[str, Any], schema: Schema, path: Path, found: list[str]) -> None:
    for name, below in value.items():
        inner = (*path, field(name))
        declared = shape.member(schema, name)
        if declared is None:
            hint = spelling.hint(name, schema.get("properties") or ())
            found.append(f"{fieldset.text_of(inner)}: field not declared in schema{hint}")
        else:
            _check(below, declared, inner, found)


def _check_list(value: list[Any], schema: Schema, path: Path, found: list[str]) -> None:
    keys = shape.list_keys(schema)
    seen: set[str] = set()
    for index, item in enumerate(value):
        element = f"i:{index}"
        if keys is not None:
            try:
                element = shape.element(item, schema, keys)
            except ValueError as error:
                found.append(f"{fieldset.text_of(path)}: element {index}: {error}")
                return
            if element in seen:
                found.append(f"{fieldset.text_of(path)}: duplicate entries for key {fieldset.element_text(element)}")
            seen.add(element)
        _check(item, shape.items(schema), (*path, element), found)


def _go_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    return {str: "string", int: "int64", float: "float64", list: "[]interface {}"}.get(
        type(value), "map[string]interface {}"
    )
