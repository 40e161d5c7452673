"""One line that says what is going on while a command waits.

On a terminal the line rewrites itself and is wiped when the wait is over; elsewhere every new text is a line of its
own, so that a CI log shows the same story. Lines that must stay go through ``Console.say`` between two updates.
"""

from __future__ import annotations

from types import TracebackType

from sidings.cli.console import Console


class Progress:
    """A status line on stderr, used as a context manager."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown = ""

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def show(self, text: str) -> None:
        """``text`` is what happens now; the same text again shows nothing new."""
        if text == self._shown:
            return
        if self._console.live:
            width = self._console.width - 1 if self._console.width else 79
            self._console.err.write(f"\r\x1b[K{text[:width]}")
            self._console.err.flush()
        else:
            self._console.say(text)
        self._shown = text

    def keep(self, text: str) -> None:
        """A line that stays."""
        self.clear()
        self._console.say(text)

    def clear(self) -> None:
        if self._console.live and self._shown:
            self._console.err.write("\r\x1b[K")
            self._console.err.flush()
        self._shown = ""
