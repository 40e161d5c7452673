"""Cases are small copies of what API server 1.36 answered, one after the other, to patches of a Deployment."""

from typing import Any

import pytest

from sidings.api import schemas
from sidings.api.objects import copy_of
from sidings.api.patch import strategic
from sidings.api.resources import PODS
from sidings.api.status import ApiError, BadRequest, Invalid, UnexplainedError

POD = schemas.schema(PODS.group, PODS.version, PODS.kind)

LIVE: dict[str, Any] = {
    "metadata": {"finalizers": ["a.io/x", "a.io/y"], "labels": {"a": "1"}},
    "spec": {
        "containers": [
            {
                "name": "c",
                "image": "i",
                "args": ["1", "2"],
                "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                "ports": [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 81, "protocol": "TCP"}],
            },
            {"name": "s", "image": "i2"},
        ],
        "tolerations": [{"key": "t", "operator": "Exists"}],
        "volumes": [{"name": "v", "emptyDir": {}}],
    },
}


def container(**fields: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "c", **fields}]}}


def patched(patch: Any) -> dict[str, Any]:
    before, wanted = copy_of(LIVE), copy_of(patch)
    result = strategic.apply(LIVE, patch, POD)
    assert (before, wanted) == (LIVE, patch)
    return result


@pytest.mark.parametrize(
    ("patch", "path", "result"),
    [
        (
            container(env=[{"name": "B", "value": "9"}, {"name": "C", "value": "3"}]),
            "env",
            [{"name": "A", "value": "1"}, {"name": "B", "value": "9"}, {"name": "C", "value": "3"}],
        ),
        (container(env=[{"$patch": "delete", "name": "A"}]), "env", [{"name": "B", "value": "2"}]),
        (container(env=[{"$patch": "replace"}, {"name": "Z", "value": "1"}]), "env", [{"name": "Z", "value": "1"}]),
        (
            container(ports=[{"containerPort": 80, "name": "web"}, {"containerPort": 82}]),
            "ports",
            [
                {"containerPort": 80, "name": "web", "protocol": "TCP"},
                {"containerPort": 82},
                {"containerPort": 81, "protocol": "TCP"},
            ],
        ),
        (container(args=["9"]), "args", ["9"]),
        (container(image=None), "image", None),
        (container(resources={"limits": {"cpu": None, "memory": "1Gi"}}), "resources", {"limits": {"memory": "1Gi"}}),
    ],
)
def test_a_container_is_merged_by_name(patch: dict[str, Any], path: str, result: Any) -> None:
    first, second = patched(patch)["spec"]["containers"]
    assert first.get(path) == result
    assert {**first, path: None} == {**LIVE["spec"]["containers"][0], path: None}
    assert second == LIVE["spec"]["containers"][1]


@pytest.mark.parametrize(
    ("patch", "volumes"),
    [
        (
            {"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "x"}},
            [{"name": "v", "configMap": {"name": "x"}}],
        ),
        ({"name": "v", "configMap": {"name": "x"}}, [{"name": "v", "emptyDir": {}, "configMap": {"name": "x"}}]),
        ({"name": "w", "emptyDir": {}}, [{"name": "w", "emptyDir": {}}, {"name": "v", "emptyDir": {}}]),
    ],
)
def test_retained_keys_replace_a_union_member(patch: dict[str, Any], volumes: list[Any]) -> None:
    assert patched({"spec": {"volumes": [patch]}})["spec"]["volumes"] == volumes


def test_the_order_of_a_list_can_be_sent_along() -> None:
    order = {"$setElementOrder/containers": [{"name": "s"}, {"name": "c"}]}
    result = patched({"spec": {**order, "containers": [{"name": "c", "image": "j"}]}})
    assert [(c["name"], c["image"]) for c in result["spec"]["containers"]] == [("s", "i2"), ("c", "j")]
    assert [c["name"] for c in patched({"spec": order})["spec"]["containers"]] == ["s", "c"]


def test_an_order_keeps_elements_that_only_the_live_list_has() -> None:
    patch = container(
        **{
            "$setElementOrder/env": [{"name": "B"}, {"name": "C"}],
            "env": [{"name": "C", "value": "3"}],
        }
    )
    assert [e["name"] for e in patched(patch)["spec"]["containers"][0]["env"]] == ["A", "B", "C"]


def test_an_element_is_deleted_together_with_an_order() -> None:
    patch = {
        "spec": {
            "$setElementOrder/containers": [{"name": "c"}],
            "containers": [{"$patch": "delete", "name": "s"}],
        }
    }
    assert [c["name"] for c in patched(patch)["spec"]["containers"]] == ["c"]


@pytest.mark.parametrize(
    ("patch", "finalizers"),
    [
        ({"finalizers": ["a.io/z", "a.io/x"]}, ["a.io/z", "a.io/x", "a.io/y"]),
        ({"$deleteFromPrimitiveList/finalizers": ["a.io/x"]}, ["a.io/y"]),
        (
            {
                "$deleteFromPrimitiveList/finalizers": ["a.io/x"],
                "$setElementOrder/finalizers": ["a.io/y", "a.io/z"],
                "finalizers": ["a.io/z"],
            },
            ["a.io/y", "a.io/z"],
        ),
        ({"finalizers": None}, None),
    ],
)
def test_finalizers_are_a_set(patch: dict[str, Any], finalizers: Any) -> None:
    assert patched({"metadata": patch})["metadata"].get("finalizers") == finalizers


@pytest.mark.parametrize(
    ("patch", "labels"),
    [
        ({"$patch": "replace", "n": "1"}, {"n": "1"}),
        ({"$patch": "delete"}, {}),
        ({"$patch": "merge", "n": "1"}, {"a": "1", "n": "1"}),
        ({"n": "1", "a": None}, {"n": "1"}),
    ],
)
def test_a_map_may_be_replaced(patch: dict[str, Any], labels: dict[str, str]) -> None:
    assert patched({"metadata": {"labels": patch}})["metadata"]["labels"] == labels


def test_an_empty_list_for_one_that_is_not_there_is_no_mistake() -> None:
    """As in ``kubectl patch -p '{"metadata":{"finalizers":[]}}'``: nothing tells what kind of items it would have."""
    patch: dict[str, Any] = {"metadata": {"finalizers": []}}
    assert strategic.apply({"metadata": {}}, patch, POD) == patch
    assert strategic.apply(patch, patch, POD) == patch


def test_lists_without_a_strategy_are_replaced() -> None:
    result = patched({"spec": {"tolerations": [{"key": "u"}]}})
    assert result["spec"]["tolerations"] == [{"key": "u"}]
    assert "tolerations" not in patched({"spec": {"tolerations": None}})["spec"]


def test_directives_and_nulls_do_not_reach_what_is_new() -> None:
    patch = {"spec": {"securityContext": {"$retainKeys": ["runAsUser"], "runAsUser": 1, "fsGroup": None}}}
    assert patched(patch)["spec"]["securityContext"] == {"runAsUser": 1}


def test_a_key_that_is_there_twice_means_the_first() -> None:
    ports = [{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}]
    live = {"spec": {"containers": [{"name": "c", "ports": ports}]}}
    patch = container(ports=[{"containerPort": 53, "name": "dns"}])
    result = strategic.apply(live, patch, POD)
    assert result["spec"]["containers"][0]["ports"] == [{**ports[0], "name": "dns"}, ports[1]]


def test_no_patch_is_no_change() -> None:
    assert patched(None) == LIVE
    assert patched({}) == LIVE


@pytest.mark.parametrize(
    ("patch", "error", "message"),
    [
        (
            {"spec": {"containers": [{"image": "q"}]}},
            UnexplainedError,
            "map: map[image:q] does not contain declared merge key: name",
        ),
        ({"spec": {"$setElementOrder/containers": 1}}, BadRequest, "invalid patch format of setElementOrder list"),
        (
            {"metadata": {"$deleteFromPrimitiveList/finalizers": "a.io/x"}},
            BadRequest,
            "invalid patch format of primitive list",
        ),
        ({"spec": {"$retainKeys": "a"}}, BadRequest, "invalid patch format of retainKeys"),
        ({"spec": {"$retainKeys": ["a"], "b": 1}}, BadRequest, "invalid patch format of retainKeys"),
        ({"spec": {"$patch": "explode"}}, Invalid, "unknown patch type found: explode"),
        ({"metadata": {"finalizers": [["x"]]}}, Invalid, "lists of lists are not supported"),
        (
            [],
            BadRequest,
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
    ],
)
def test_a_malformed_patch_is_refused(patch: Any, error: type[ApiError], message: str) -> None:
    with pytest.raises(error) as caught:
        patched(patch)
    assert caught.value.message == message


def test_an_order_must_name_every_element_of_the_patch() -> None:
    patch = {"spec": {"$setElementOrder/containers": [{"name": "s"}], "containers": [{"name": "c"}]}}
    with pytest.raises(BadRequest, match=r"doesn't match \$setElementOrder list"):
        patched(patch)
