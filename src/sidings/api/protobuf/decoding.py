"""From the bytes of a ``k8s\\0`` envelope to an object.

The envelope is ``runtime.Unknown``: apiVersion and kind, and the message as bytes. Fields that the table does not have
are passed over, as a Go server that does not know them would.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sidings.api import timestamps
from sidings.api.objects import Object
from sidings.api.protobuf import wire
from sidings.api.protobuf.table import Field, load
from sidings.api.status import BadRequest

MAGIC = b"k8s\x00"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOTHING: Any = object()
"""What a field decodes to that a Go client writes although it is unset."""


def decode(body: bytes) -> Object:
    """The object in ``body``, with ``apiVersion`` and ``kind``. Raises ``BadRequest`` for anything else."""
    if not body.startswith(MAGIC):
        raise BadRequest("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    try:
        api_version, kind, raw = _open(body[len(MAGIC) :])
    except ValueError as error:
        raise BadRequest(f"couldn't get version/kind; proto: {error}") from error
    table = load()
    message = table.kinds.get(f"{api_version}/{kind}")
    if message is None:
        raise BadRequest(f'no kind "{kind}" is registered for version "{api_version}" in protobuf')
    try:
        return {"apiVersion": api_version, "kind": kind, **_message(message, raw)}
    except ValueError as error:
        raise BadRequest(f'{kind} in version "{api_version}" cannot be handled as a {kind}: proto: {error}') from error


def _open(envelope: bytes) -> tuple[str, str, bytes]:
    """(apiVersion, kind, message) of a ``runtime.Unknown``."""
    type_meta = raw = b""
    for number, _, value in wire.fields(envelope):
        if number == 1:
            type_meta = _bytes(value)
        elif number == 2:
            raw = _bytes(value)
    names = {number: _string(value) for number, _, value in wire.fields(type_meta) if number in (1, 2)}
    return names.get(1, ""), names.get(2, ""), raw


def _message(name: str, data: bytes) -> Object:
    result: Object = {}
    fields = load().messages[name]
    for number, wire_type, value in wire.fields(data):
        field = fields.get(number)
        if field is None:
            continue
        if field.embedded:
            result.update(_message(field.type, _bytes(value)))
        elif field.keyed:
            key, item = _entry(field, _bytes(value))
            result.setdefault(field.name, {})[key] = item
        elif field.repeated and field.type == "int" and wire_type == wire.BYTES:
            result.setdefault(field.name, []).extend(wire.packed(_bytes(value)))
        elif field.repeated:
            result.setdefault(field.name, []).append(_value(field.type, value))
        else:
            decoded = _value(field.type, value)
            if decoded is not _NOTHING and (field.pointer or decoded not in _ZEROS):
                result[field.name] = decoded
    return result


_ZEROS: tuple[Any, ...] = ("", 0, False)


def _entry(field: Field, data: bytes) -> tuple[str, Any]:
    key, item = "", b""
    raw: int | bytes = item
    for number, _, value in wire.fields(data):
        if number == 1:
            key = _string(value)
        elif number == 2:
            raw = value
    return key, _value(field.type, raw)


def _value(type_: str, value: int | bytes) -> Any:
    decoder = _SCALARS.get(type_)
    return decoder(value) if decoder else _message(type_, _bytes(value))


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("wrong wireType = 0 for a field of bytes")
    return value


def _string(value: int | bytes) -> str:
    return _bytes(value).decode()


def _int(value: int | bytes) -> int:
    if not isinstance(value, int):
        raise ValueError("wrong wireType = 2 for a field that is a number")
    return wire.signed(value)


def _moment(value: int | bytes) -> datetime | None:
    """Seconds and nanoseconds since 1970; an empty message is Go's zero time, which is none."""
    parts = {number: _int(part) for number, _, part in wire.fields(_bytes(value))}
    if not parts:
        return None
    try:
        return _EPOCH + timedelta(seconds=parts.get(1, 0), microseconds=parts.get(2, 0) // 1000)
    except OverflowError as error:
        raise ValueError("time out of range") from error


def _time(value: int | bytes) -> Any:
    moment = _moment(value)
    return timestamps.to_text(moment) if moment else _NOTHING


def _micro_time(value: int | bytes) -> Any:
    moment = _moment(value)
    return timestamps.to_micro_text(moment) if moment else _NOTHING


def _quantity(value: int | bytes) -> str:
    texts = [_string(part) for number, _, part in wire.fields(_bytes(value)) if number == 1]
    return texts[-1] if texts and texts[-1] else "0"


def _int_or_string(value: int | bytes) -> int | str:
    """Field 1 says which: 0 the number in 2, 1 the text in 3."""
    parts = {number: part for number, _, part in wire.fields(_bytes(value))}
    if _int(parts.get(1, 0)) == 1:
        return _string(parts.get(3, b""))
    return _int(parts.get(2, 0))


def _json(value: int | bytes) -> Any:
    for number, _, raw in wire.fields(_bytes(value)):
        if number == 1:
            try:
                return json.loads(_bytes(raw))
            except RecursionError as error:
                raise ValueError("raw JSON is nested too deep") from error
    return _NOTHING


_SCALARS: dict[str, Callable[[int | bytes], Any]] = {
    "string": _string,
    "bool": lambda value: bool(_int(value)),
    "int": _int,
    "bytes": lambda value: base64.b64encode(_bytes(value)).decode(),
    "Time": _time,
    "MicroTime": _micro_time,
    "Quantity": _quantity,
    "IntOrString": _int_or_string,
    "JSON": _json,
}
