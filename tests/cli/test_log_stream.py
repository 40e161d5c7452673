from collections.abc import AsyncIterator

import pytest

from sidings.cli.log_stream import Place, Source, lines_of, prefix_of, started_containers
from tests.answers.objects import ended, job, pod, running, waiting
from tests.cli.consoles import console


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        ([], []),
        ([b"one\ntw", b"o\nthree"], [b"one\n", b"two\n", b"three\n"]),
        ([b"\n\n"], [b"\n", b"\n"]),
        ([b"a", b"b", b"c\n"], [b"abc\n"]),
    ],
)
async def test_lines_are_whole_however_they_arrive(parts: list[bytes], lines: list[bytes]) -> None:
    assert [line async for line in lines_of(chunks(*parts))] == lines


def test_only_containers_that_have_started_have_a_log() -> None:
    one = pod(
        job(None),
        0,
        containers=[running("a", restarts=2), ended(0, name="b"), waiting("ContainerCreating", name="c")],
    )
    uid = one["metadata"]["uid"]
    assert started_containers(one) == [Source(uid, "a", 2), Source(uid, "b", 0)]
    assert started_containers(one, "b") == [Source(uid, "b", 0)]


def test_a_container_that_is_started_again_is_a_new_source() -> None:
    child = job(None)
    [first] = started_containers(pod(child, 0, containers=[running("a")]))
    [again] = started_containers(pod(child, 0, containers=[running("a", restarts=1)]))
    assert first != again


def test_prefixes_carry_the_rank_and_its_colour() -> None:
    one = pod(job(None, name="j"), 1)
    assert prefix_of(console(), one) == "j-1 | "
    assert prefix_of(console(colour=True), one) == "\x1b[32mj-1 | \x1b[0m"


def read(place: Place, *lines: bytes) -> list[bytes]:
    return [text for line in lines if (text := place.new(line)) is not None]


def test_a_broken_connection_is_taken_up_at_the_very_line() -> None:
    place = Place(tail_lines=10)
    one = b"2026-01-01T00:00:01.5Z a\n"
    two, three, four = (b"2026-01-01T00:00:02.5Z %s\n" % letter for letter in (b"b", b"c", b"d"))
    assert read(place, one, two, three) == [b"a\n", b"b\n", b"c\n"]
    place.broke()
    assert place.tail_lines is None
    assert place.since is not None
    assert read(place, one, two, three, four, b"2026-01-01T00:00:03Z \n") == [b"d\n", b"\n"]


def test_a_connection_that_breaks_before_the_first_line_begins_anew() -> None:
    place = Place(tail_lines=10)
    place.broke()
    assert (place.tail_lines, place.since) == (10, None)
