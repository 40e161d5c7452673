"""What ``kubectl get`` prints: the columns of a kind, and the cells of an object.

The server decides the columns. A kind declares them (``Kind.columns``); the name comes first unless the kind puts it
elsewhere, and a kind that declares none has an age. A cell is computed by code, as upstream does for built-in kinds, or
read by JSONPath, as it does for custom resources; there a missing value is null, which kubectl prints as ``<none>``,
and a ``date`` is shown as an age.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from sidings.api import age, golang, jsonpath
from sidings.api.kind import Column, Kind
from sidings.api.kinds import columns
from sidings.api.objects import Object

_DESCRIPTION = "Custom resource definition column (in JSONPath format): "


def columns_of(kind: Kind) -> tuple[Column, ...]:
    """All columns of a kind in their order."""
    declared = kind.columns or (columns.DATE_AGE,)
    named = any(column.format == "name" for column in declared)
    return declared if named else (columns.NAME, *declared)


def column_definitions(kind: Kind) -> list[Object]:
    """``columnDefinitions`` of a ``meta.k8s.io/v1`` Table."""
    return [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description or (column.json_path and _DESCRIPTION + column.json_path),
            "priority": column.priority,
        }
        for column in columns_of(kind)
    ]


def cells(kind: Kind, obj: Object, now: datetime) -> list[Any]:
    """``cells`` of the row for ``obj``: one JSON value for each column."""
    return [_cell(column, obj, now) for column in columns_of(kind)]


def _cell(column: Column, obj: Object, now: datetime) -> Any:
    if column.cell is not None:
        return column.cell(obj, now)
    value = jsonpath.first(obj, column.json_path)
    return None if value is None else _shown(column.type, value, now)


def _shown(type_: str, value: Any, now: datetime) -> Any:
    """A value that a JSONPath found, as ``k8s.io/apiextensions-apiserver`` prints it (``tableconvertor.go``)."""
    match type_:
        case "integer":
            return int(value) if isinstance(value, int | float) else None
        case "number":
            return float(value) if isinstance(value, int | float) else None
        case "boolean":
            return value if isinstance(value, bool) else None
        case "date":
            return _age(value, now) if isinstance(value, str) else None
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return golang.text(value)


def _age(timestamp: str, now: datetime) -> str:
    shown = age.since(timestamp, now)
    return age.INVALID if shown == age.UNKNOWN else shown
