"""The last file of a checkpoint: what it is, where training was, and what every other file must look like.

JSON, so that anything can read it: ``jq .step manifest.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sidings_train.errors import CheckpointError

FORMAT = 1


class UnreadableError(ValueError):
    """This is no manifest that this version understands."""


def kept(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """``recipe`` as a manifest gives it back: a tuple as a list. CheckpointError where JSON has no form for a value."""
    form = {}
    for name, value in recipe.items():
        try:
            form[name] = json.loads(json.dumps(value))
        except (TypeError, ValueError) as error:
            raise CheckpointError(
                f"the recipe's {name!r} cannot be kept: {value!r}",
                cause=str(error),
                remedy=f"numbers, text, lists and dicts of them; here perhaps str({name})",
            ) from error
    return form


@dataclass(frozen=True)
class File:
    """Size in bytes and sha256 (hex) of one file of the attempt."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """``place`` is where training stood (step, epoch, position), ``recipe`` what must be the same to go on from it.

    ``written`` is for people: when, by how many ranks, with which torch.
    """

    place: Mapping[str, int]
    recipe: Mapping[str, Any]
    written: Mapping[str, Any]
    files: Mapping[str, File]

    def to_json(self) -> bytes:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Manifest:
        """UnreadableError when it is torn, or of a later format."""
        try:
            data = json.loads(text)
            if data.pop("format") != FORMAT:
                raise UnreadableError("its manifest is of another version of sidings-train")
            files = {name: File(**file) for name, file in data.pop("files").items()}
            return cls(files=files, **data)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, UnreadableError):
                raise
            raise UnreadableError(f"its manifest is torn ({error})") from error
