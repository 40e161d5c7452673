"""Pieces of files, several requests at a time, handed out in order.

A bucket answers each request after some milliseconds, whatever its size: one after the other, the way back from a
checkpoint of a few hundred tensors would be waiting. How much is read ahead is bounded, in requests and in bytes: a
rank must not hold a second copy of its model.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from sidings_train.storage.place import Place

AT_ONCE = 8
HELD = 64 << 20  # bytes asked for and not handed out yet; a larger piece is asked for alone


class Piece(NamedTuple):
    """``length`` bytes of the file ``name`` from ``offset``."""

    name: str
    offset: int
    length: int


def read_ahead(place: Place, pieces: Iterable[Piece]) -> Iterator[bytes]:
    """What ``place.read`` gives for each of ``pieces``. Raises what it raises, when that piece's turn has come."""
    asked: deque[tuple[Piece, Future[bytes]]] = deque()
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="sidings-read") as pool:
        try:
            for piece in pieces:
                while asked and (len(asked) == AT_ONCE or sum(p.length for p, _ in asked) + piece.length > HELD):
                    yield asked.popleft()[1].result()
                asked.append((piece, pool.submit(place.read, *piece)))
            while asked:
                yield asked.popleft()[1].result()
        finally:
            for _, left in asked:
                left.cancel()
