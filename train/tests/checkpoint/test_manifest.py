from __future__ import annotations

from pathlib import Path

import pytest

from sidings_train import CheckpointError
from sidings_train.checkpoint.manifest import File, Manifest, UnreadableError, kept

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


def test_a_recipe_is_the_same_when_it_is_read_back() -> None:
    recipe = kept({"betas": (0.9, 0.95), "layers": {"wide": True}, "name": "x"})
    assert recipe == kept(recipe) == Manifest.from_json(Manifest({}, recipe, {}, {}).to_json()).recipe
    with pytest.raises(CheckpointError, match=r"the recipe's 'data' cannot be kept: .*Path\('x'\)"):
        kept({"data": Path("x")})
