from __future__ import annotations

import threading

import pytest

from sidings_train.errors import NotThereError
from sidings_train.storage.ahead import AT_ONCE, HELD, Piece, read_ahead
from sidings_train.storage.memory import Memory


class Slow(Memory):
    """Answers only when ``wanted`` requests are there at once, and counts bytes and requests under way."""

    def __init__(self, wanted: int) -> None:
        super().__init__()
        self._all = threading.Barrier(wanted)
        self._lock, self._now = threading.Lock(), (0, 0)
        self.most = (0, 0)

    def read(self, name: str, offset: int, length: int) -> bytes:
        self._count(1, length)
        self._all.wait(timeout=60)
        self._count(-1, -length)
        return super().read(name, offset, length)

    def _count(self, requests: int, size: int) -> None:
        with self._lock:
            self._now = self._now[0] + requests, self._now[1] + size
            self.most = max(self.most[0], self._now[0]), max(self.most[1], self._now[1])


def test_pieces_come_in_order_though_they_are_asked_for_together() -> None:
    place = Slow(AT_ONCE)
    place.put("a", bytes(range(4 * AT_ONCE)))
    pieces = [Piece("a", 2 * number, 2) for number in range(2 * AT_ONCE)]
    assert b"".join(read_ahead(place, pieces)) == bytes(range(4 * AT_ONCE))
    assert place.most == (AT_ONCE, 2 * AT_ONCE)


def test_large_pieces_are_not_held_all_at_once() -> None:
    place = Slow(2)
    place.put("a", b"large")
    half = Piece("a", 0, HELD // 2)
    assert list(read_ahead(place, [half] * 6)) == [b"large"] * 6
    assert place.most == (2, HELD)


def test_what_is_larger_than_all_that_may_be_held_is_read_alone() -> None:
    place = Slow(1)
    place.put("a", b"x")
    assert list(read_ahead(place, [Piece("a", 0, 2 * HELD)] * 2)) == [b"x", b"x"]
    assert place.most[0] == 1


def test_a_piece_that_is_gone_raises_in_its_turn() -> None:
    place = Memory()
    place.put("a", b"abc")
    pieces = read_ahead(place, [Piece("a", 0, 3), Piece("b", 0, 3), *[Piece("a", 0, 1)] * 40])
    assert next(pieces) == b"abc"
    with pytest.raises(NotThereError):
        next(pieces)
