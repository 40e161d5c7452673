"""Lines that say how far a download is, short enough for a log: one a file, with what is there and what is to come."""

from __future__ import annotations

from collections.abc import Callable

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def size_text(size: float) -> str:
    """``532 B``, ``1.5 GiB``."""
    for unit in _UNITS:
        if size < 1024 or unit == _UNITS[-1]:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError("not reached")


class Progress:
    """Of ``total`` files."""

    def __init__(self, total: int, say: Callable[[str], None]) -> None:
        self._total = total
        self._say = say
        self.files = 0
        self._bytes = 0

    def fetched(self, path: str, size: int) -> None:
        self.files += 1
        self._bytes += size
        self._say(f"{self.files}/{self._total} {path} ({size_text(size)}; {size_text(self._bytes)} so far)")
