from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from sidings.api import table
from sidings.api.kind import Column, Kind
from sidings.api.kinds import columns
from sidings.api.resources import JOB_SETS

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
KIND = Kind(resource=JOB_SETS, singular="jobset", schema={}, builtin=False)
OBJECT: dict[str, Any] = {
    "metadata": {"name": "a", "creationTimestamp": "2026-01-01T11:59:00Z"},
    "spec": {"suspend": True, "replicas": 3, "share": 0.5, "list": [{"a": 1}]},
    "status": {"conditions": [{"type": "Completed", "status": "True"}], "bad": "yesterday"},
}


def test_a_kind_without_columns_shows_name_and_age() -> None:
    assert [column.name for column in table.columns_of(KIND)] == ["Name", "Age"]
    assert table.cells(KIND, OBJECT, NOW) == ["a", "60s"]


def test_the_name_stays_where_the_kind_puts_it() -> None:
    kind = replace(KIND, columns=(Column("Reason", json_path=".reason"), columns.NAME))
    assert [column.name for column in table.columns_of(kind)] == ["Reason", "Name"]


@pytest.mark.parametrize(
    ("type_", "path", "cell"),
    [
        ("string", ".spec.suspend", "true"),
        ("string", ".spec.replicas", "3"),
        ("string", '.status.conditions[?(@.type=="Completed")].status', "True"),
        ("string", ".status.conditions[-1:].type", "Completed"),
        ("string", ".spec.list", '[{"a":1}]'),
        ("string", ".spec.nothing", None),
        ("integer", ".spec.replicas", 3),
        ("integer", ".spec.suspend", 1),
        ("number", ".spec.share", 0.5),
        ("boolean", ".spec.suspend", True),
        ("boolean", ".spec.replicas", None),
        ("date", ".metadata.creationTimestamp", "60s"),
        ("date", ".status.bad", "<invalid>"),
        ("date", ".spec.replicas", None),
    ],
)
def test_a_path_becomes_a_cell_of_its_type(type_: str, path: str, cell: Any) -> None:
    kind = replace(KIND, columns=(Column("X", type=type_, json_path=path),))
    assert table.cells(kind, OBJECT, NOW)[1] == cell


def test_a_cell_may_be_computed_from_the_object_and_the_time() -> None:
    kind = replace(KIND, columns=(Column("Year", cell=lambda obj, now: f"{obj['metadata']['name']} {now.year}"),))
    assert table.cells(kind, OBJECT, NOW)[1] == "a 2026"


def test_a_column_without_a_description_says_its_path() -> None:
    kind = replace(KIND, columns=(Column("State", json_path=".status.state", priority=1),))
    assert table.column_definitions(kind)[1] == {
        "name": "State",
        "type": "string",
        "format": "",
        "description": "Custom resource definition column (in JSONPath format): .status.state",
        "priority": 1,
    }
