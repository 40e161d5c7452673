"""Places are indexed when they are asked for, and only the last few of them."""

from sidings.store.entries import Document, Entry
from sidings.store.values import MOST_PLACES, Path, ValueIndex


def label(name: str) -> Path:
    return "metadata", "labels", name


def entry(name: str, **labels: str) -> Entry:
    return Entry(("pods", "default", name), 1, {"metadata": {"labels": labels}}, b"")


def test_everything_is_read_for_the_first_question_only() -> None:
    index = ValueIndex()
    assert index.names(label("app"), "x", "default", [entry("a", app="x")]) == {"a"}
    assert index.names(label("app"), "x", "default", []) == {"a"}
    index.replace(None, entry("b", app="x"))
    index.replace(entry("a", app="x"), entry("a"))
    assert index.names(label("app"), "x", "default", []) == {"b"}


def test_the_place_asked_for_longest_ago_is_forgotten() -> None:
    index = ValueIndex()
    for number in range(MOST_PLACES):
        index.names(label(f"l{number}"), "x", "default", [])
    index.names(label("l0"), "x", "default", [])
    index.names(label("one more"), "x", "default", [])
    everything = [entry("a", l0="x", l1="x")]
    assert index.names(label("l0"), "x", "default", everything) == set()
    assert index.names(label("l1"), "x", "default", everything) == {"a"}


def test_only_text_is_indexed() -> None:
    index = ValueIndex()
    documents: list[Document] = [{"spec": {"a": "1"}}, {"spec": {"a": 1}}, {"spec": "a"}, {}]
    entries = [Entry(("pods", "default", f"p{n}"), 1, document, b"") for n, document in enumerate(documents)]
    assert index.names(("spec", "a"), "1", "default", entries) == {"p0"}
