"""Which of the files that a source offers are fetched: glob patterns over their paths."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

ALL = ("*",)
MODEL_FILES = ("*.json", "*.safetensors", "*.model", "*.txt", "*.gguf")
MODEL_IGNORED = ("*.msgpack", "*.h5", "*.bin", "*.pt", "*.pth")
"""Trainer 2.3, pkg/initializers/model/huggingface.py."""


class Wanted(NamedTuple):
    """A file is fetched that matches an allowed pattern and no ignored one."""

    allowed: tuple[str, ...]
    ignored: tuple[str, ...]

    def takes(self, path: str) -> bool:
        return _matches(path, self.allowed) and not _matches(path, self.ignored)


def _matches(path: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)
