"""The bytes of an object out of a request's body, checked: plain with its sha256, or in ``aws-chunked`` pieces.

A chunked body (``x-amz-content-sha256: STREAMING-...``) is what SDKs send when they do not know the sum beforehand:
``SIZE-IN-HEX[;chunk-signature=...]\\r\\n`` before each piece, a last one of size 0, then trailers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from sidings.s3.errors import S3Error
from sidings.s3.signature import UNSIGNED

_STREAMING = "STREAMING-"
_LONGEST_LINE = 16384


class Payload:
    """``feed`` what arrives, write what it gives; ``end`` raises where the whole is not what the headers said."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        stated = headers.get("x-amz-content-sha256", UNSIGNED)
        self._sum = None if stated == UNSIGNED or stated.startswith(_STREAMING) else hashlib.sha256()
        self._stated = stated
        self._chunks = _Chunks() if stated.startswith(_STREAMING) else None
        length = headers.get("x-amz-decoded-content-length" if self._chunks else "content-length")
        self._length = int(length) if length is not None and length.isdecimal() else None
        self._seen = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The object's bytes in ``data``."""
        for piece in self._chunks.feed(data) if self._chunks else (data,):
            self._seen += len(piece)
            if self._sum is not None:
                self._sum.update(piece)
            yield piece

    def end(self) -> None:
        """The body is over. Raises ``S3Error``."""
        if (self._length is not None and self._seen != self._length) or (self._chunks and not self._chunks.ended):
            raise S3Error("IncompleteBody", f"The body has {self._seen} bytes where {self._length} were announced.")
        if self._sum is not None and self._sum.hexdigest() != self._stated:
            raise S3Error(
                "XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match the body."
            )


class _Chunks:
    """Decodes as it comes; a line or a piece may be cut anywhere."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._left = 0
        self._skip = 0
        self.ended = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        position = 0
        while position < len(data) and not self.ended:
            if self._left:
                piece = data[position : position + self._left]
                self._left -= len(piece)
                position += len(piece)
                self._skip = 0 if self._left else 2
                yield piece
            elif self._skip:
                taken = min(self._skip, len(data) - position)
                self._skip -= taken
                position += taken
            else:
                end = data.find(b"\n", position)
                stop = len(data) if end < 0 else end + 1
                self._line += data[position:stop]
                position = stop
                if len(self._line) > _LONGEST_LINE:
                    raise S3Error("InvalidArgument", "A chunk of the body has no size.")
                if end >= 0:
                    self._begin(bytes(self._line))
                    self._line.clear()

    def _begin(self, line: bytes) -> None:
        try:
            self._left = int(line.partition(b";")[0].strip(), 16)
        except ValueError as error:
            raise S3Error("InvalidArgument", "A chunk of the body has no size.") from error
        if self._left < 0:
            raise S3Error("InvalidArgument", "A chunk of the body has a negative size.")
        self.ended = self._left == 0
