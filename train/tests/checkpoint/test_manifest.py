from __future__ import annotations

import pytest

from sidings_train.checkpoint.manifest import File, Manifest, UnreadableError

MANIFEST = Manifest({"step": 3, "epoch": 0, "position": 96}, {"batch": 32}, {"ranks": 2}, {"a": File(1, "ff")})


def test_there_and_back() -> None:
    assert Manifest.from_json(MANIFEST.to_json()) == MANIFEST


def test_any_beginning_of_it_is_torn() -> None:
    text = MANIFEST.to_json()
    for length in range(len(text)):
        with pytest.raises(UnreadableError, match="torn"):
            Manifest.from_json(text[:length])


@pytest.mark.parametrize("text", [b"[]", b"null", b"{}", b'{"format": 1, "files": 3}', b"\xff"])
def test_something_else_is_torn(text: bytes) -> None:
    with pytest.raises(UnreadableError, match="torn"):
        Manifest.from_json(text)


def test_a_later_format_is_said() -> None:
    with pytest.raises(UnreadableError, match="another version"):
        Manifest.from_json(MANIFEST.to_json().replace(b'"format": 1', b'"format": 2'))
