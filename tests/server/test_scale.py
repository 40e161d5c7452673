"""``/scale`` of custom resources, with the real kubectl and by hand."""

import json
from typing import Any

from tests.server.conftest import Api, Served

DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "farms.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "farms", "singular": "farm", "kind": "Farm", "listKind": "FarmList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {"cows": {"type": "integer", "maximum": 9}, "name": {"type": "string"}},
                            },
                            "status": {
                                "type": "object",
                                "properties": {"cows": {"type": "integer"}, "selector": {"type": "string"}},
                            },
                        },
                    }
                },
                "subresources": {
                    "status": {},
                    "scale": {
                        "specReplicasPath": ".spec.cows",
                        "statusReplicasPath": ".status.cows",
                        "labelSelectorPath": ".status.selector",
                    },
                },
            }
        ],
    },
}
FARM = {"apiVersion": "example.com/v1", "kind": "Farm", "metadata": {"name": "f"}, "spec": {"cows": 2, "name": "x"}}
FARMS = "/apis/example.com/v1/namespaces/n/farms"
SCALE = f"{FARMS}/f/scale"
MERGE = "application/merge-patch+json"


async def _made(api: Api) -> None:
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert (await api("POST", definitions, DEFINITION)).code == 201
    assert (await api("POST", FARMS, FARM)).code == 201


async def test_reading(api: Api) -> None:
    await _made(api)
    status = {"status": {"cows": 1, "selector": "a=b"}}
    assert (await api("PATCH", f"{FARMS}/f/status", status, content_type=MERGE)).code == 200
    found = (await api("GET", SCALE)).json
    assert (found["kind"], found["apiVersion"]) == ("Scale", "autoscaling/v1")
    assert (found["spec"], found["status"]) == ({"replicas": 2}, {"replicas": 1, "selector": "a=b"})
    farm = (await api("GET", f"{FARMS}/f")).json
    assert {field: found["metadata"][field] for field in ("uid", "resourceVersion")} == {
        field: farm["metadata"][field] for field in ("uid", "resourceVersion")
    }


async def test_writing_is_an_update_of_the_object(api: Api) -> None:
    await _made(api)
    patched = await api("PATCH", SCALE, {"spec": {"replicas": 5}}, content_type=MERGE)
    assert (patched.code, patched.json["spec"]) == (200, {"replicas": 5})
    farm = (await api("GET", f"{FARMS}/f")).json
    assert (farm["spec"], farm["metadata"]["generation"]) == ({"cows": 5, "name": "x"}, 2)
    put = await api("PUT", SCALE, {**patched.json, "spec": {"replicas": 0}})
    assert (put.code, put.json["spec"]) == (200, {"replicas": 0})
    stale = await api("PUT", SCALE, {**patched.json, "spec": {"replicas": 7}})
    assert (stale.code, stale.json["reason"]) == (409, "Conflict")


async def test_what_is_refused(api: Api) -> None:
    await _made(api)
    for replicas, message in (
        (-1, 'Scale.autoscaling "f" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'),
        (10, 'Farm.example.com "f" is invalid: spec.cows: Invalid value: 10: spec.cows in body should be less than'),
    ):
        answer = await api("PATCH", SCALE, {"spec": {"replicas": replicas}}, content_type=MERGE)
        assert answer.code == 422
        assert answer.message.startswith(message)
    assert (await api("GET", f"{FARMS}/none/scale")).code == 404
    assert (await api("PATCH", f"{FARMS}/f", {"spec": {"cows": None}}, content_type=MERGE)).code == 200
    unset = await api("GET", SCALE)
    assert (unset.code, 'the spec replicas field ".spec.cows" does not exist' in unset.message) == (500, True)


async def test_kubectl_scale(served: Served) -> None:
    kubectl = served.kubectl
    for manifest in (DEFINITION, FARM):
        await kubectl.ok("create", "-f", "-", stdin=json.dumps(manifest))
    assert await kubectl.ok("scale", "farm/f", "--replicas=4") == "farm.example.com/f scaled\n"
    assert await kubectl.ok("scale", "farm/f", "--current-replicas=4", "--replicas=3") == "farm.example.com/f scaled\n"
    assert await kubectl.ok("get", "farm", "f", "-o", "jsonpath={.spec.cows}") == "3"
    shown = await kubectl.ok("get", "farm", "f", "--subresource=scale", "-o", "jsonpath={.spec.replicas}")
    assert shown == "3"
    wrong = await kubectl("scale", "farm/f", "--current-replicas=9", "--replicas=1")
    assert "Expected replicas to be 9, was 3" in wrong.err
