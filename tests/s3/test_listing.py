"""Pages of a listing, by all sizes of page."""

from __future__ import annotations

import pytest

from sidings.s3.buckets import Buckets
from sidings.s3.listing import page

KEYS = ["a", "a-b", "a/1", "a/2/x", "a/2/y", "b", "c/1", "c/2"]


@pytest.mark.parametrize("limit", range(1, 10))
@pytest.mark.parametrize(
    ("prefix", "delimiter", "keys", "prefixes"),
    [
        ("", "", KEYS, []),
        ("", "/", ["a", "a-b", "b"], ["a/", "c/"]),
        ("a/", "/", ["a/1"], ["a/2/"]),
        ("a/2", "", ["a/2/x", "a/2/y"], []),
        ("a/2", "/", [], ["a/2/"]),
        ("none", "/", [], []),
    ],
)
def test_all_pages_together_are_the_whole(
    limit: int, prefix: str, delimiter: str, keys: list[str], prefixes: list[str]
) -> None:
    found_keys: list[str] = []
    found_prefixes: list[str] = []
    after = ""
    while True:
        made = page(KEYS, prefix, delimiter, after, limit)
        assert len(made.keys) + len(made.prefixes) <= limit
        found_keys += made.keys
        found_prefixes += made.prefixes
        after = made.last
        if not after:
            break
    assert (found_keys, found_prefixes) == (keys, prefixes)


@pytest.fixture(scope="module")
def buckets(tmp_path_factory: pytest.TempPathFactory) -> Buckets:
    root = tmp_path_factory.mktemp("root")
    for key in (*KEYS[1:], "d/e/f/g", "d/e/h", "d.x"):
        path = root / "data" / key.replace("a/", "A/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (root / "data" / "empty" / "folder").mkdir(parents=True)
    return Buckets(root)


@pytest.mark.parametrize("delimiter", ["", "/", "e"])
@pytest.mark.parametrize("prefix", ["", "A/", "A/2", "d", "d/e", "d/e/", "emp", "none/x"])
def test_a_page_from_somewhere_on_is_the_rest_of_the_whole(buckets: Buckets, prefix: str, delimiter: str) -> None:
    """Wherever a listing goes on, also at a key that is not there."""
    everything = list(buckets.keys("data"))
    entries = {key[: len(key) - cut] for key in everything for cut in range(3)} | {"A/", "A/2/", "d/", "d/e/f/~", "~"}
    for after in sorted(entries):
        keys = buckets.keys("data", prefix, after, one_a_folder=delimiter == "/")
        expected = page(everything, prefix, delimiter, after, 3)
        assert page(keys, prefix, delimiter, after, 3) == expected, after


def test_keys_of_a_folder_come_in_the_order_of_the_whole_key(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("root")
    for key in ("data/a-b", "data/a/1", "data/a.txt", "data/a0", "data/b/2"):
        (root / key).parent.mkdir(parents=True, exist_ok=True)
        (root / key).touch()
    buckets = Buckets(root)
    assert list(buckets.keys("data")) == ["a-b", "a.txt", "a/1", "a0", "b/2"]
    assert list(buckets.keys("data", "b/")) == ["b/2"]
    assert list(buckets.keys("data", "../")) == []
