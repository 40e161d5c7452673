"""TensorBoard's event files, as far as curves need them: one scalar after the other, by step.

The package ``tensorboard`` is for looking, not for writing: it would bring gRPC, Pillow and a web server into every
image that trains, for a format that has been the same since TensorFlow 0.6. A file is a row of records, each length,
checksum of the length, data, checksum of the data (TensorFlow's ``record_writer``); the data is a protobuf ``Event``
(``event.proto``): wall_time = 1, step = 2, file_version = 3, summary = 5 of values (tag = 1, simple_value = 2),
session_log = 7 (status = 1).

Every start writes a file of its own into the folder and says at which step it begins, so that TensorBoard drops what an
interrupted run had told of later steps.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import socket
import struct
import sys
import time
from collections.abc import Mapping
from io import FileIO
from pathlib import Path

from sidings_train.errors import TrainError
from sidings_train.progress.report import Report

_FILE_VERSION, _SUMMARY, _SESSION_LOG = 3, 5, 7
_VERSION = b"brain.Event:2"
_START = 1  # SessionLog.SessionStatus
_LARGEST = 3.4028234663852886e38
_VARINT, _DOUBLE, _BYTES, _FLOAT = 0, 1, 2, 5  # wire types of protobuf
_NUMBERS = itertools.count()


def folder_of(name: str | os.PathLike[str]) -> Path:
    """Where files go. TrainError where no file can be appended to."""
    if "://" in os.fspath(name):
        raise TrainError(
            f"TensorBoard's files cannot go to {os.fspath(name)}",
            cause="they grow line by line, and a bucket holds whole objects only",
            remedy="name a folder; of a claim, to look while it trains, or copy it to the bucket at the end",
        )
    return Path(name)


class EventFile:
    """Appends reports to a new file in ``folder``. What cannot be written is one line on stderr; training goes on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: FileIO | None = None
        self._failed = False

    def tell(self, report: Report) -> None:
        if self._failed:
            return
        now = time.time()
        try:
            if self._file is None:
                self._file = _opened(self._folder, now)
                begins = event(now, report.first_step, _bytes(_SESSION_LOG, _key(1, _VARINT) + _varint(_START)))
                self._file.write(record(event(now, 0, _bytes(_FILE_VERSION, _VERSION))) + record(begins))
            self._file.write(record(event(now, report.step, _summary(report.scalars()))))
        except OSError as error:
            self._failed = True
            print(f"TensorBoard's files cannot be written: {error}; training goes on", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def record(data: bytes) -> bytes:
    """``data`` as it stands in a file."""
    length = struct.pack("<Q", len(data))
    return length + _checksum(length) + data + _checksum(data)


def event(moment: float, step: int, what: bytes) -> bytes:
    """The protobuf ``Event`` of ``what``, one of its fields in bytes, at ``moment`` (``time.time()``)."""
    return _key(1, _DOUBLE) + struct.pack("<d", moment) + _key(2, _VARINT) + _varint(step) + what


def crc32c(data: bytes) -> int:
    """Castagnoli's CRC, which Python has not; a report has some hundred bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _table()[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


@functools.cache
def _table() -> list[int]:
    table = list(range(256))
    for _ in range(8):
        table = [value >> 1 ^ (0x82F63B78 if value & 1 else 0) for value in table]
    return table


def _opened(folder: Path, now: float) -> FileIO:
    """Names sort by time: TensorBoard reads them in their order."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"events.out.tfevents.{int(now):010d}.{socket.gethostname()}.{os.getpid()}.{next(_NUMBERS)}"
    return FileIO(folder / name, "x")


def _checksum(data: bytes) -> bytes:
    """Turned and shifted, as TensorFlow does, because a checksum over checksums would be weak."""
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _summary(scalars: Mapping[str, float]) -> bytes:
    values = [
        _bytes(1, tag.encode()) + _key(2, _FLOAT) + struct.pack("<f", _single(value)) for tag, value in scalars.items()
    ]
    return _bytes(_SUMMARY, b"".join(_bytes(1, value) for value in values))


def _single(value: float) -> float:
    """``value`` as far as a float of four bytes holds it: what is too large for one is infinite."""
    return value if not math.isfinite(value) or abs(value) <= _LARGEST else math.copysign(math.inf, value)


def _bytes(field: int, data: bytes) -> bytes:
    return _key(field, _BYTES) + _varint(len(data)) + data


def _key(field: int, wire: int) -> bytes:
    return _varint(field << 3 | wire)


def _varint(number: int) -> bytes:
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])
