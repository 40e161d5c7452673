import json

import pytest

from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.resources import JOBS, TRAIN_JOBS, Resource
from sidings.server import openapi_v2

SCHEMA = {
    "type": "object",
    "properties": {
        "port": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        "when": {"type": "string", "nullable": True},
    },
}
KINDS = [
    Kind(JOBS, "job", {}, builtin=True, subresources=frozenset({"status"})),
    Kind(TRAIN_JOBS, "trainjob", {}, builtin=False),
    Kind(Resource("example.com", "v1", "widgets", "Widget"), "widget", SCHEMA, builtin=False),
]


@pytest.fixture(scope="module")
def document() -> Object:
    return openapi_v2.document(KINDS)


def test_every_kind_can_be_patched_with_validation(document: Object) -> None:
    found = {}
    for item in document["paths"].values():
        if patch := item.get("patch"):
            names = {parameter["name"] for parameter in patch["parameters"]}
            found[patch["x-kubernetes-group-version-kind"]["kind"]] = names
    assert found.keys() == {"Job", "TrainJob", "Widget"}
    assert all({"fieldValidation", "dryRun"} <= names for names in found.values())


def test_all_references_lead_somewhere(document: Object) -> None:
    text = json.dumps(document)
    assert "#/components/" not in text
    named = {part.split('"')[0] for part in text.split("#/definitions/")[1:]}
    assert "io.k8s.api.core.v1.PodSpec" in named
    assert named <= document["definitions"].keys()


def test_what_swagger_cannot_say_is_left_out(document: Object) -> None:
    widget = document["definitions"]["com.example.v1.Widget"]
    assert widget["properties"] == {
        "port": {"x-kubernetes-int-or-string": True, "format": "int-or-string"},
        "when": {"type": "string"},
    }
    assert widget["x-kubernetes-group-version-kind"] == [{"group": "example.com", "version": "v1", "kind": "Widget"}]


@pytest.mark.parametrize(
    ("accept", "protobuf"),
    [
        (openapi_v2.ASKED, True),
        (f"{openapi_v2.ASKED}, application/json", True),
        ("application/json", False),
        (f"*/*, {openapi_v2.ASKED}", False),
        ("", False),
    ],
)
def test_the_form_is_the_clients_choice(accept: str, protobuf: bool) -> None:
    assert openapi_v2.prefers_protobuf(accept) is protobuf
    body, content_type = openapi_v2.answer(KINDS, accept)
    assert (content_type == openapi_v2.PROTOBUF) is protobuf
    assert (body[:1] == b"{") is not protobuf
