"""The last file of a checkpoint: what it is, where training was, and what every other file must look like.

JSON, so that anything can read it: ``jq .step manifest.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

FORMAT = 1


class UnreadableError(ValueError):
    """This is no manifest that this version understands."""


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
