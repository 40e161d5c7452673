import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidings.api.protobuf import wire


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


@given(st.lists(st.tuples(st.integers(1, 2**29 - 1), st.integers(0, 2**64 - 1) | st.binary(max_size=200)), max_size=5))
def test_fields_come_back_in_order(sent: list[tuple[int, int | bytes]]) -> None:
    data = b""
    for number, value in sent:
        if isinstance(value, int):
            data += varint(number << 3) + varint(value)
        else:
            data += varint(number << 3 | 2) + varint(len(value)) + value
    assert [(number, value) for number, _, value in wire.fields(data)] == sent


def test_fixed_size_values_are_read() -> None:
    assert list(wire.fields(b"\x09\x01\0\0\0\0\0\0\0\x15\x02\0\0\0")) == [(1, wire.FIXED64, 1), (2, wire.FIXED32, 2)]


def test_integers_are_signed() -> None:
    assert wire.signed(2**64 - 1) == -1
    assert wire.signed(2**63 - 1) == 2**63 - 1
    assert list(wire.packed(b"\x01\xac\x02" + b"\xff" * 9 + b"\x01")) == [1, 300, -1]


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"\x08", "unexpected EOF"),
        (b"\x0a\x02a", "unexpected EOF"),
        (b"\x09\x01", "unexpected EOF"),
        (b"\x0d\x01", "unexpected EOF"),
        (b"\x00\x01", "illegal tag 0"),
        (b"\x0b", "illegal wireType 3"),
        (b"\x08" + b"\xff" * 10, "integer overflow"),
        (b"\x08" + b"\xff" * 9 + b"\x7f", "integer overflow"),
    ],
)
def test_what_is_no_message_is_refused(data: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        list(wire.fields(data))
