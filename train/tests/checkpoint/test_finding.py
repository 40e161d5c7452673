from __future__ import annotations

import hashlib

import pytest

from sidings_train import StorageError, World
from sidings_train.checkpoint.finding import latest
from sidings_train.checkpoint.layout import MANIFEST, Attempt
from sidings_train.checkpoint.manifest import File, Manifest
from sidings_train.storage.memory import Memory


def place_with(*steps: int) -> Memory:
    place = Memory()
    for step in steps:
        data, attempt = f"weights {step}".encode(), Attempt(step, "a")
        place.put(attempt.path("data"), data)
        files = {"data": File(len(data), hashlib.sha256(data).hexdigest())}
        place.put(attempt.path(MANIFEST), Manifest({"step": step}, {}, {}, files).to_json())
    return place


def found_in(place: Memory, world: World) -> tuple[int | None, list[str]]:
    said: list[str] = []
    found = latest(place, world, said.append)
    return found and found.attempt.step, said


def test_the_newest(alone: World) -> None:
    assert found_in(place_with(100, 200), alone) == (200, [])


def test_nothing_there(alone: World) -> None:
    assert found_in(Memory(), alone) == (None, [])


PIECE = Attempt(200, "a").path("data")
TEXT = Attempt(200, "a").path(MANIFEST)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (PIECE, None, "data is missing"),
        (PIECE, b"weights", "data is torn: 7 of 11 bytes"),
        (PIECE, b"weights 2X0", "data has another checksum than when it was written"),
        (TEXT, b'{"format": 1, "pla', "its manifest is torn"),
        (TEXT, None, "it was never finished"),
    ],
)
def test_what_is_not_whole_is_passed_over(name: str, data: bytes | None, said: str, alone: World) -> None:
    place = place_with(100, 200)
    place.delete([name])
    if data is not None:
        place.put(name, data)
    step, warnings = found_in(place, alone)
    assert step == 100
    assert len(warnings) == 1
    assert said in warnings[0]
    assert "memory:/step-00000200/a/" in warnings[0]


def test_an_unfinished_one_that_was_overtaken_is_no_news(alone: World) -> None:
    place = place_with(200)
    place.put(Attempt(100, "a").path("data"), b"half")
    assert found_in(place, alone) == (200, [])


def test_all_torn_is_nothing(alone: World) -> None:
    place = place_with(100, 200)
    place.delete([Attempt(step, "a").path("data") for step in (100, 200)])
    step, warnings = found_in(place, alone)
    assert step is None
    assert len(warnings) == 2


@pytest.mark.parametrize("verb", ["list", "get"])
def test_a_place_that_does_not_answer_is_an_error_and_not_a_new_beginning(verb: str, alone: World) -> None:
    place = place_with(100)

    def fail(operation: str, name: str) -> None:
        if operation == verb:
            raise StorageError("the server is gone")

    place.fail = fail
    with pytest.raises(StorageError, match="the server is gone"):
        found_in(place, alone)
