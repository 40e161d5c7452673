"""What a user of an initializer reads in its log when it cannot."""

from __future__ import annotations


class InitializerError(Exception):
    """``what`` went wrong, its ``cause``, and how to mend it."""

    def __init__(self, what: str, *, cause: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.cause = cause
        self.remedy = remedy

    def lines(self) -> list[str]:
        """As they are printed."""
        named = (("error", self.what), ("cause", self.cause), ("fix", self.remedy))
        return [f"{name}: {text}" for name, text in named if text]
