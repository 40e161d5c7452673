"""What a client sent: read within bounds, decoded from JSON, YAML or protobuf.

kubectl sends protobuf for its imperative commands, JSON for manifests, and nothing at all as Content-Type for
``scale``. Fields given twice are found here, because nobody behind the decoder can see them any more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
import yaml

from sidings.api import golang, protobuf, sent_kinds, yaml_documents
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.status import BadRequest, RequestEntityTooLarge, UnsupportedMediaType
from sidings.api.structural.decoding import Repeated
from sidings.server.asgi import Receive
from sidings.server.limits import BODY_BYTES

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"

_SHOWN_BYTES = 30
_decoder = msgspec.json.Decoder()


class UnacceptablePatch(UnsupportedMediaType):
    """What built-in kinds answer; it has details, though nothing is in them."""

    always_details = True


def _decode_json(raw: bytes) -> Any:
    """Raises ``ValueError``, also for values nested too deeply."""
    try:
        return _decoder.decode(raw)
    except RecursionError as error:
        raise ValueError("json: exceeded max depth") from error


class Body(NamedTuple):
    """A decoded body, and what a strict reader would say about it (fields given twice)."""

    value: Any
    repeated: list[str]


class ClientGone(Exception):
    """The client hung up before its body had arrived."""


async def read(receive: Receive) -> bytes:
    """The whole body. Raises RequestEntityTooLarge above ``BODY_BYTES``."""
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body"):
        body: bytes = message.get("body", b"")
        _check_size(len(body))
        return body
    parts = bytearray()
    while message["type"] == "http.request":
        parts += message.get("body", b"")
        _check_size(len(parts))
        if not message.get("more_body"):
            return bytes(parts)
        message = await receive()
    raise ClientGone


def _check_size(size: int) -> None:
    if size > BODY_BYTES:
        raise RequestEntityTooLarge(f"Request entity too large: limit is {BODY_BYTES}")


def media_type(content_type: str) -> str:
    """Without parameters, in lower case; a missing one means JSON."""
    return content_type.partition(";")[0].strip().lower() or JSON


def decode_object(raw: bytes, content_type: str, kind: Kind, *, strict: bool) -> Body:
    """The object in the body of a POST or PUT; ``strict``: look for fields given twice.

    Raises UnsupportedMediaType and BadRequest in kube-apiserver's words (v1.36).
    """
    found = media_type(content_type)
    try:
        if found == JSON:
            value, repeated = _decode_json(raw), (_repeated(raw) if strict else [])
        elif found == YAML:
            value, repeated = yaml_documents.load(raw)
        elif found == PROTOBUF and kind.builtin:
            value, repeated = protobuf.decode(raw), []
        else:
            accepted = [JSON, YAML, *([PROTOBUF] if kind.builtin else [])]
            raise UnsupportedMediaType(_unknown_format(accepted))
        if not isinstance(value, dict):
            raise ValueError(f"json: cannot unmarshal {golang.json_type(value)} into Go value of type struct")
    except (ValueError, yaml.YAMLError) as error:
        raise BadRequest(
            f"the object provided is unrecognized (must be of type {kind.resource.kind}): couldn't get version/kind; "
            f"json parse error: {_go_text(error)} ({_summary(raw)})"
        ) from error
    return Body(value, repeated)


def decode_patch(raw: bytes, content_type: str, kind: Kind) -> tuple[str, Any]:
    """The type and the value of a PATCH body. Strategic merge exists for built-in kinds only, as upstream."""
    found = media_type(content_type)
    accepted = [JSON_PATCH, MERGE_PATCH, *([STRATEGIC_PATCH] if kind.builtin else []), APPLY_PATCH]
    if found not in accepted:
        raise (
            UnacceptablePatch("415: Unsupported Media Type")
            if kind.builtin
            else UnsupportedMediaType(_unknown_format(accepted))
        )
    try:
        if found != APPLY_PATCH:
            return found, _decode_json(raw)
        try:
            return found, _decode_json(raw)
        except msgspec.DecodeError:
            return found, yaml_documents.load(raw)[0]
    except (ValueError, yaml.YAMLError) as error:
        raise BadRequest(f"error decoding patch: {_go_text(error)}") from error


def decode_options(raw: bytes, content_type: str) -> Object | None:
    """``DeleteOptions`` in the body of a DELETE; None where there is no body."""
    if not raw:
        return None
    found = media_type(content_type)
    try:
        if found == JSON:
            value = _decode_json(raw)
        elif found == YAML:
            value = yaml_documents.load(raw)[0]
        elif found == PROTOBUF:
            value = protobuf.decode(raw)
        else:
            raise UnsupportedMediaType(_unknown_format([JSON, YAML, PROTOBUF]))
    except (ValueError, yaml.YAMLError) as error:
        raise BadRequest(
            "the object provided is unrecognized (must be of type DeleteOptions): couldn't get version/kind; "
            f"json parse error: {_go_text(error)} ({_summary(raw)})"
        ) from error
    return sent_kinds.read("DeleteOptions", value)


def _unknown_format(accepted: list[str]) -> str:
    return f"the body of the request was in an unknown format - accepted media types include: {', '.join(accepted)}"


def _repeated(raw: bytes) -> list[str]:
    """``duplicate field "spec.containers[0].image"`` for every field given twice, in order of appearance."""
    noted = 0

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal noted
        built = dict(pairs)
        if len(built) == len(pairs):
            return built
        noted += 1
        return Repeated(pairs)

    value = json.loads(raw, object_pairs_hook=build)
    return [f'duplicate field "{path}"' for path in _repeated_paths(value, "")] if noted else []


def _repeated_paths(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _repeated_paths(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        prefix = f"{path}." if path else ""
        if isinstance(value, Repeated):
            yield from (prefix + name for name in dict.fromkeys(value.repeated))
        for name, item in value.items():
            yield from _repeated_paths(item, prefix + name)


def _go_text(error: Exception) -> str:
    text = str(error)
    if text == "Input data was truncated":
        return "unexpected end of JSON input"
    return " ".join(text.split())


def _summary(raw: bytes) -> str:
    """The beginning of a body, as text if it may be JSON, else in hexadecimal (apiserver ``summarizeData``)."""
    if not raw:
        return "<empty>"
    shown = raw[:_SHOWN_BYTES]
    text = shown.decode(errors="replace") if raw.startswith(b"{") else shown.hex()
    return text + (" ..." if len(raw) > _SHOWN_BYTES else "")
