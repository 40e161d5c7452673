"""DNS messages as far as a small server needs them (RFC 1035, SRV of RFC 2782): questions in, records out. Pure."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

A, CNAME, PTR, AAAA, SRV, ANY = 1, 5, 12, 28, 33, 255
IN = 1
NO_ERROR, SERVER_FAILURE, NAME_ERROR, NOT_IMPLEMENTED = 0, 2, 3, 4
TTL = 5
"""CoreDNS' default for Services."""
_ANSWER, _AUTHORITATIVE, _RECURSION_DESIRED, _RECURSION_AVAILABLE = 0x8000, 0x0400, 0x0100, 0x0080
_POINTER = 0xC0


class Question(NamedTuple):
    """The one question of a query."""

    number: int
    flags: int
    name: str
    """Lower case, without the final dot."""
    kind: int
    class_: int
    raw: bytes
    """As it stands in the query, to be repeated in the reply."""


class Record(NamedTuple):
    """``name`` "" is the name in the question."""

    kind: int
    data: bytes
    name: str = ""


def question(query: bytes) -> Question:
    """The question of ``query``; raises ``ValueError`` for a broken one, and for what is no query of one question."""
    try:
        number, flags, questions = struct.unpack_from("!HHH", query)
        name, end = _question_name(query)
        kind, class_ = struct.unpack_from("!HH", query, end)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError("not a DNS query") from error
    if flags & _ANSWER or questions != 1:
        raise ValueError("not a DNS query")
    return Question(number, flags, name, kind, class_, query[12 : end + 4])


def is_plain(asked: Question) -> bool:
    """Whether it is a standard query of the Internet class, the only sort that is answered."""
    return asked.class_ == IN and not asked.flags >> 11 & 0xF


def query(number: int, name: str, kind: int) -> bytes:
    """A query that asks for recursion."""
    return struct.pack("!HHHHHH", number, _RECURSION_DESIRED, 1, 0, 0, 0) + _name(name) + struct.pack("!HH", kind, IN)


def reply(
    asked: Question, records: Sequence[Record] = (), code: int = NO_ERROR, *, authoritative: bool = True
) -> bytes:
    flags = _ANSWER | _RECURSION_AVAILABLE | asked.flags & _RECURSION_DESIRED | code
    if authoritative:
        flags |= _AUTHORITATIVE
    header = struct.pack("!HHHHHH", asked.number, flags, 1, len(records), 0, 0)
    return header + asked.raw + b"".join(map(_record, records))


def address(text: str, name: str = "") -> Record:
    return Record(A, socket.inet_aton(text), name)


def pointer(name: str) -> Record:
    return Record(PTR, _name(name))


def alias(target: str) -> Record:
    return Record(CNAME, _name(target))


def service(port: int, target: str) -> Record:
    """An SRV record; priority and weight as CoreDNS gives them."""
    return Record(SRV, struct.pack("!HHH", 0, 100, port) + _name(target))


def code_of(answer: bytes) -> int:
    """The response code of a reply."""
    return int(struct.unpack_from("!H", answer, 2)[0]) & 0xF


def addresses(answer: bytes, name: str) -> list[Record]:
    """The A and AAAA records in the reply ``answer``, as records of ``name``. Raises ``ValueError`` for rubbish."""
    try:
        return [Record(kind, data, name) for kind, data in _answers(answer) if kind in (A, AAAA)]
    except (struct.error, IndexError) as error:
        raise ValueError("not a DNS reply") from error


def _answers(answer: bytes) -> Iterator[tuple[int, bytes]]:
    _, _, questions, count = struct.unpack_from("!HHHH", answer)
    position = 12
    for _ in range(questions):
        position = _after_name(answer, position) + 4
    for _ in range(count):
        position = _after_name(answer, position)
        kind, _, _, length = struct.unpack_from("!HHIH", answer, position)
        yield kind, answer[position + 10 : position + 10 + length]
        position += 10 + length


def _after_name(message: bytes, position: int) -> int:
    while length := message[position]:
        if length & _POINTER == _POINTER:
            return position + 2
        position += 1 + length
    return position + 1


def _question_name(query: bytes) -> tuple[str, int]:
    """The question's name and the offset after it."""
    labels, position = [], 12
    while length := query[position]:
        if length > 63:
            raise ValueError("a question holds no compressed name")
        labels.append(query[position + 1 : position + 1 + length].decode("ascii"))
        position += 1 + length
    return ".".join(labels).lower(), position + 1


def _name(name: str) -> bytes:
    return b"".join(bytes((len(label),)) + label.encode() for label in name.rstrip(".").split(".")) + b"\0"


def _record(record: Record) -> bytes:
    owner = _name(record.name) if record.name else struct.pack("!H", 0xC00C)  # a pointer to the question, offset 12
    return owner + struct.pack("!HHIH", record.kind, IN, TTL, len(record.data)) + record.data
