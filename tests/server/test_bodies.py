import asyncio
from typing import Any

import pytest

from sidings.api import catalog
from sidings.api.kind import Kind
from sidings.api.resources import CONFIG_MAPS, JOB_SETS, Resource
from sidings.api.status import BadRequest, RequestEntityTooLarge, UnsupportedMediaType
from sidings.server import bodies
from sidings.server.limits import BODY_BYTES


def kind_of(resource: Resource) -> Kind:
    kind = catalog.builtin().by_plural(*resource[:3])
    assert kind is not None
    return kind


CONFIG_MAP, JOB_SET = kind_of(CONFIG_MAPS), kind_of(JOB_SETS)


async def received(*messages: dict[str, Any]) -> bytes:
    waiting = list(messages)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0)
        return waiting.pop(0)

    return await bodies.read(receive)


def part(body: bytes, more: bool = True) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


async def test_a_body_in_parts() -> None:
    assert await received(part(b"", False)) == b""
    assert await received(part(b"a"), part(b"b"), part(b"", False)) == b"ab"


async def test_a_body_is_bounded() -> None:
    assert len(await received(part(b"x" * BODY_BYTES, False))) == BODY_BYTES
    with pytest.raises(RequestEntityTooLarge):
        await received(part(b"x" * BODY_BYTES), part(b"x"))


async def test_a_client_that_hangs_up() -> None:
    with pytest.raises(bodies.ClientGone):
        await received(part(b"a"), {"type": "http.disconnect"})


@pytest.mark.parametrize(
    ("raw", "content_type", "value"),
    [
        (b'{"a":1}', "", {"a": 1}),
        (b'{"a":1}', "application/json;charset=utf-8", {"a": 1}),
        (b"a: y\n", "application/yaml", {"a": True}),
    ],
)
def test_an_object(raw: bytes, content_type: str, value: Any) -> None:
    assert bodies.decode_object(raw, content_type, CONFIG_MAP, strict=False).value == value


def test_protobuf_is_for_built_in_kinds() -> None:
    # kubectl create namespace team, as kubectl 1.37 sends it.
    metadata = b'\x0a\x04team\x12\x00\x1a\x00"\x00*\x002\x008\x00B\x00'
    namespace = b"\x0a" + bytes([len(metadata)]) + metadata + b"\x12\x00\x1a\x02\x0a\x00"
    raw = b"k8s\x00\x0a\x0f\x0a\x02v1\x12\x09Namespace\x12" + bytes([len(namespace)]) + namespace
    found = bodies.decode_object(raw, "application/vnd.kubernetes.protobuf", CONFIG_MAP, strict=True)
    assert (found.value["kind"], found.value["metadata"]["name"]) == ("Namespace", "team")
    with pytest.raises(UnsupportedMediaType):
        bodies.decode_object(raw, "application/vnd.kubernetes.protobuf", JOB_SET, strict=True)


def test_fields_given_twice_in_order() -> None:
    raw = b'{"spec":{"b":1,"b":2,"a":[{"x":1},{"x":1,"y":2,"x":3}]},"spec2":{},"spec2":{}}'
    found = bodies.decode_object(raw, "", CONFIG_MAP, strict=True)
    assert found.repeated == [f'duplicate field "{path}"' for path in ("spec2", "spec.b", "spec.a[1].x")]
    assert bodies.decode_object(raw, "", CONFIG_MAP, strict=False).repeated == []


@pytest.mark.parametrize(
    ("raw", "end"),
    [
        (b"", "json parse error: unexpected end of JSON input (<empty>)"),
        (b'{"a":', 'json parse error: unexpected end of JSON input ({"a":)'),
        (b"[1]", "json parse error: json: cannot unmarshal array into Go value of type struct (5b315d)"),
        (b"{" + b"x" * 40, "({" + "x" * 29 + " ...)"),
        (b"[" * 100_000, "json: exceeded max depth (" + "5b" * 30 + " ...)"),
    ],
)
def test_what_is_no_object(raw: bytes, end: str) -> None:
    with pytest.raises(BadRequest) as caught:
        bodies.decode_object(raw, "", CONFIG_MAP, strict=True)
    assert caught.value.message.startswith("the object provided is unrecognized (must be of type ConfigMap): ")
    assert caught.value.message.endswith(end)


@pytest.mark.parametrize("content_type", ["application/json-patch+json", "application/merge-patch+json"])
def test_patches(content_type: str) -> None:
    assert bodies.decode_patch(b'{"a":1}', content_type, JOB_SET) == (content_type, {"a": 1})


def test_apply_takes_yaml() -> None:
    apply = "application/apply-patch+yaml"
    for raw in (b'{"a":1}', b"a: 1\n"):
        assert bodies.decode_patch(raw, apply, CONFIG_MAP) == (apply, {"a": 1})
    with pytest.raises(BadRequest, match="error decoding patch"):
        bodies.decode_patch(b"a: [", apply, CONFIG_MAP)


def test_strategic_patches_are_for_built_in_kinds() -> None:
    strategic = "application/strategic-merge-patch+json"
    assert bodies.decode_patch(b"{}", strategic, CONFIG_MAP) == (strategic, {})
    with pytest.raises(UnsupportedMediaType, match="accepted media types include: application/json-patch"):
        bodies.decode_patch(b"{}", strategic, JOB_SET)


def test_delete_options() -> None:
    assert bodies.decode_options(b"", "application/json") is None
    assert bodies.decode_options(b'{"gracePeriodSeconds":0}', "") == {"gracePeriodSeconds": 0}
    assert bodies.decode_options(b"gracePeriodSeconds: 0", "application/yaml") == {"gracePeriodSeconds": 0}
    with pytest.raises(BadRequest, match="must be of type DeleteOptions"):
        bodies.decode_options(b"{", "")
    with pytest.raises(UnsupportedMediaType):
        bodies.decode_options(b"x", "text/plain")
