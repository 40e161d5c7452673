"""The protobuf wire format: numbered fields, each an integer, a double or a piece of bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

_VARINT_BYTES = 10


def fields(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """(number, wire type, value) of every field in ``data``, in order; fixed-size values as unsigned integers.

    Raises ``ValueError`` for anything that is not a message.
    """
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        number, wire_type = tag >> 3, tag & 7
        if number == 0:
            raise ValueError("illegal tag 0")
        value: int | bytes
        match wire_type:
            case 0:
                value, position = _varint(data, position)
            case 1:
                value, position = int.from_bytes(_piece(data, position, 8), "little"), position + 8
            case 2:
                length, position = _varint(data, position)
                value, position = _piece(data, position, length), position + length
            case 5:
                value, position = int.from_bytes(_piece(data, position, 4), "little"), position + 4
            case _:
                raise ValueError(f"illegal wireType {wire_type}")
        yield number, wire_type, value


def signed(value: int) -> int:
    """An int32 or int64 field: two's complement in 64 bits."""
    return value - (1 << 64) if value >= 1 << 63 else value


def packed(data: bytes) -> Iterator[int]:
    """The integers of a packed repeated field."""
    position = 0
    while position < len(data):
        value, position = _varint(data, position)
        yield signed(value)


def piece(number: int, value: bytes) -> bytes:
    """A field of bytes: a message or a string."""
    return _varint_of(number << 3 | BYTES) + _varint_of(len(value)) + value


def text(number: int, value: str) -> bytes:
    return piece(number, value.encode())


def integer(number: int, value: int) -> bytes:
    """An int64 field."""
    return _varint_of(number << 3 | VARINT) + _varint_of(value & (1 << 64) - 1)


def double(number: int, value: float) -> bytes:
    return _varint_of(number << 3 | FIXED64) + struct.pack("<d", value)


def _varint_of(value: int) -> bytes:
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for index in range(_VARINT_BYTES):
        if position + index >= len(data):
            raise ValueError("unexpected EOF")
        byte = data[position + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            if value >= 1 << 64:
                break
            return value, position + index + 1
    raise ValueError("integer overflow")


def _piece(data: bytes, position: int, length: int) -> bytes:
    if position + length > len(data):
        raise ValueError("unexpected EOF")
    return data[position : position + length]
