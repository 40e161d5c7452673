"""Recent changes: what follows a revision, what was there at one, and where it ends."""

from __future__ import annotations

import pytest

from sidings.store.entries import Change, Entry
from sidings.store.errors import Compacted
from sidings.store.history import History


def entry(name: str, revision: int, namespace: str = "default", size: int = 10) -> Entry:
    return Entry(("pods", namespace, name), revision, {"metadata": {}}, b"." * size)


def filled() -> tuple[History, list[Entry]]:
    """a is created, b is created, a is changed, b is deleted, c is created elsewhere."""
    history = History(floor=10)
    a, b, changed, c = entry("a", 11), entry("b", 12), entry("a", 13), entry("c", 15, "other")
    history.add(Change(a, None, deleted=False))
    history.add(Change(b, None, deleted=False))
    history.add(Change(changed, a, deleted=False))
    history.add(Change(entry("b", 14), b, deleted=True))
    history.add(Change(c, None, deleted=False))
    return history, [changed, c]


def test_what_came_after_a_revision() -> None:
    history, _ = filled()
    assert [change.revision for change in history.after(12)] == [13, 14, 15]
    assert list(history.after(15)) == []
    assert list(history.after(99)) == []


@pytest.mark.parametrize(
    ("revision", "expected"),
    [
        (10, []),
        (11, [("a", 11)]),
        (12, [("a", 11), ("b", 12)]),
        (13, [("a", 13), ("b", 12)]),
        (14, [("a", 13)]),
        (15, [("a", 13), ("c", 15)]),
    ],
)
def test_what_was_there_at_a_revision(revision: int, expected: list[tuple[str, int]]) -> None:
    history, now = filled()
    then = history.rewind(now, ("pods",), revision)
    assert [(found.key[2], found.revision) for found in then] == expected


def test_other_prefixes_are_not_mixed_in() -> None:
    history, now = filled()
    live = [found for found in now if found.key[1] == "default"]
    assert [found.key[2] for found in history.rewind(live, ("pods", "default"), 12)] == ["a", "b"]


def test_what_is_forgotten_cannot_be_asked_for() -> None:
    history = History(floor=0, max_bytes=100)
    for revision in range(1, 20):
        history.add(Change(entry("a", revision, size=30), None, deleted=False))
    assert history.floor == 16
    assert [change.revision for change in history.after(16)] == [17, 18, 19]
    with pytest.raises(Compacted) as caught:
        history.after(15)
    assert caught.value.oldest == 16


def test_one_change_is_kept_whatever_its_size() -> None:
    history = History(floor=0, max_bytes=10)
    history.add(Change(entry("a", 1, size=1000), None, deleted=False))
    assert len(list(history.after(0))) == 1
