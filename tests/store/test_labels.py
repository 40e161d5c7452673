"""Labels are indexed when they are asked for, and only the last few of them."""

from sidings.store.entries import Entry
from sidings.store.labels import MOST_LABELS, LabelIndex


def entry(name: str, **labels: str) -> Entry:
    return Entry(("pods", "default", name), 1, {"metadata": {"labels": labels}}, b"")


def test_everything_is_read_for_the_first_question_only() -> None:
    index = LabelIndex()
    assert index.names("app", "x", "default", [entry("a", app="x")]) == {"a"}
    assert index.names("app", "x", "default", []) == {"a"}
    index.replace(None, entry("b", app="x"))
    index.replace(entry("a", app="x"), entry("a"))
    assert index.names("app", "x", "default", []) == {"b"}


def test_the_label_asked_for_longest_ago_is_forgotten() -> None:
    index = LabelIndex()
    for number in range(MOST_LABELS):
        index.names(f"l{number}", "x", "default", [])
    index.names("l0", "x", "default", [])
    index.names("one more", "x", "default", [])
    everything = [entry("a", l0="x", l1="x")]
    assert index.names("l0", "x", "default", everything) == set()
    assert index.names("l1", "x", "default", everything) == {"a"}
