"""The pods' DNS server: answers A and PTR from a table, and says no at once.

A name server that does not answer costs a distributed job seconds: TCPStore looks up the name of every peer's
``::ffff:a.b.c.d`` and waits for each (two 2-node jobs took 29.6-32.4 s with a dead server, 15.7 s with this one). So
reverse zones and unknown names get NXDOMAIN at once, with one exception: a name below an existing headless Service
whose pod is not known *yet* is held back for ``HOLD_SECONDS``. On a cluster a gang's pods ask for each other before
all of them are bound, get NXDOMAIN and cache it; here they get the address as soon as there is one.

The table is ``dns.json``, replaced by the agent before a pod starts; it stays in force while no agent runs.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

HOLD_SECONDS = 2.0
"""Below the resolver's own five seconds, so that it never asks twice."""
_TTL = 5
"""CoreDNS' default for Services."""
_A, _PTR, _ANY, _IN = 1, 12, 255, 1
_ANSWER, _AUTHORITATIVE, _RECURSION_DESIRED, _RECURSION_AVAILABLE = 0x8000, 0x0400, 0x0100, 0x0080
_NAME_ERROR, _NOT_IMPLEMENTED = 3, 4
_RECHECK_SECONDS = 0.02


@dataclass(frozen=True)
class Table:
    """Who is who: ``names`` to addresses, ``reverse`` from address to name, ``zones`` whose names may still come."""

    names: dict[str, list[str]] = field(default_factory=dict)
    reverse: dict[str, str] = field(default_factory=dict)
    zones: frozenset[str] = frozenset()

    @staticmethod
    def load(text: str) -> Table:
        value = json.loads(text)
        return Table(value["names"], value["reverse"], frozenset(value["zones"]))

    def dump(self) -> str:
        return json.dumps({"names": self.names, "reverse": self.reverse, "zones": sorted(self.zones)})


def answer(table: Table, query: bytes, *, final: bool) -> bytes | None:
    """The reply to ``query``; None to hold it back (never with ``final``). Raises ``ValueError`` for a broken one."""
    try:
        number, flags, questions = struct.unpack_from("!HHH", query)
        name, end = _read_name(query)
        kind, class_ = struct.unpack_from("!HH", query, end)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError("not a DNS query") from error
    if flags & _ANSWER or questions != 1:
        raise ValueError("not a DNS query")
    reply = _ANSWER | _AUTHORITATIVE | _RECURSION_AVAILABLE | flags & _RECURSION_DESIRED
    records: list[bytes] = []
    if class_ != _IN or flags >> 11 & 0xF:
        reply |= _NOT_IMPLEMENTED
    elif name in table.names:
        if kind in (_A, _ANY):
            records = [_record(_A, socket.inet_aton(address)) for address in table.names[name]]
    elif (owner := table.reverse.get(_reversed_address(name))) is not None:
        if kind in (_PTR, _ANY):
            records = [_record(_PTR, _write_name(owner))]
    elif not final and name.partition(".")[2] in table.zones:
        return None
    else:
        reply |= _NAME_ERROR
    header = struct.pack("!HHHHHH", number, reply, 1, len(records), 0, 0)
    return header + query[12 : end + 4] + b"".join(records)


def serve(listener: socket.socket, path: Path) -> NoReturn:
    """Answer for ever from the table at ``path``."""
    source = _TableFile(path)
    held: list[tuple[float, bytes, tuple[str, int]]] = []
    while True:
        listener.settimeout(_RECHECK_SECONDS if held else None)
        try:
            query, client = listener.recvfrom(4096)
            held.append((time.monotonic() + HOLD_SECONDS, query, client))
        except TimeoutError:
            pass
        table, now, waiting = source.current(), time.monotonic(), held
        held = []
        for due, query, client in waiting:
            try:
                reply = answer(table, query, final=now >= due)
            except ValueError:
                continue
            if reply is None:
                held.append((due, query, client))
            else:
                listener.sendto(reply, client)


class _TableFile:
    """The table on disk, read again when it was replaced."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._table = Table()

    def current(self) -> Table:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return self._table
        version = (found.st_ino, found.st_mtime_ns)
        if version != self._seen:
            self._seen = version
            self._table = Table.load(self._path.read_text())
        return self._table


def _read_name(query: bytes) -> tuple[str, int]:
    """The question's name, lower case without the final dot, and the offset after it."""
    labels, position = [], 12
    while length := query[position]:
        if length > 63:
            raise ValueError("a question holds no compressed name")
        labels.append(query[position + 1 : position + 1 + length].decode("ascii"))
        position += 1 + length
    return ".".join(labels).lower(), position + 1


def _write_name(name: str) -> bytes:
    return b"".join(bytes((len(label),)) + label.encode() for label in name.split(".")) + b"\0"


def _record(kind: int, data: bytes) -> bytes:
    """A record about the name in the question (a pointer to offset 12)."""
    return struct.pack("!HHHIH", 0xC00C, kind, _IN, _TTL, len(data)) + data


def _reversed_address(name: str) -> str:
    """``4.3.2.1.in-addr.arpa`` -> ``1.2.3.4``; anything else names no address."""
    labels = name.split(".")
    return ".".join(reversed(labels[:4])) if labels[4:] == ["in-addr", "arpa"] else ""
