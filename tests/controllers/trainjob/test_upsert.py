"""Adding to a container's lists (cases M11, M14)."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.controllers.trainjob import upsert

MINE = {"containerPort": 29500, "protocol": "TCP"}


def test_env_is_replaced_in_place_or_appended() -> None:
    container: Object = {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}
    upsert.env(container, [{"name": "A", "valueFrom": {}}, {"name": "C", "value": "3"}])
    assert container["env"] == [
        {"name": "A", "valueFrom": {}},
        {"name": "B", "value": "2"},
        {"name": "C", "value": "3"},
    ]


def test_nothing_to_add_leaves_no_empty_list() -> None:
    container: Object = {}
    upsert.env(container, [])
    assert container == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], [MINE]),
        ([{"containerPort": 8080, "name": "web"}], [{"containerPort": 8080, "name": "web"}, MINE]),
        ([{"containerPort": 29500, "name": "c10d"}], [MINE]),
        ([{"containerPort": 8080}], [MINE]),
        ([{"containerPort": 8080}, {"containerPort": 9090}], [{"containerPort": 9090}, {"containerPort": 9090}]),
    ],
)
def test_ports_with_upstreams_idea_of_the_same_port(before: list[Object], after: list[Object]) -> None:
    container: Object = {"ports": before} if before else {}
    upsert.port(container, 29500)
    assert container["ports"] == after
