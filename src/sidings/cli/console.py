"""Where a command writes: data to stdout, everything that is not data to stderr.

Colour, glyphs beyond ASCII and lines that rewrite themselves are for terminals only; ``NO_COLOR`` and ``--no-color``
turn colour off, a locale that is not UTF-8 the glyphs. Commands get a :class:`Console` handed in, tests give it two
``StringIO``.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from sidings.cli.errors import CliError
from sidings.errors import SidingsError

_COLOURS = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36", "dim": "2", "bold": "1"}
_STATE_COLOURS = {
    "Queued": "yellow",
    "Starting": "cyan",
    "Running": "green",
    "Suspended": "blue",
    "Restarting": "yellow",
    "Succeeded": "green",
    "Failed": "red",
}


@dataclass
class Console:
    """Two streams and what they can show. ``width`` is the terminal's, 0 where output is no terminal."""

    out: TextIO
    err: TextIO
    colour: bool = False
    live: bool = False
    """stderr is a terminal: progress may rewrite its line."""
    unicode: bool = False
    width: int = 0

    def print(self, text: str = "") -> None:
        """One line of data."""
        self.out.write(f"{text}\n")
        self.out.flush()

    def write(self, data: bytes) -> None:
        """Log bytes, as they are."""
        self.out.write(data.decode("utf-8", errors="replace"))
        self.out.flush()

    def say(self, text: str = "") -> None:
        """One line that is not data: progress, a hint, a warning. The command goes on where nobody reads it."""
        try:
            self.err.write(f"{text}\n")
            self.err.flush()
        except BrokenPipeError:
            # `sidings up 2>&1 | head -1` must still end with an engine. Nothing could be flushed at exit either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.err.fileno())

    def paint(self, text: str, colour: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self.colour else text

    def paint_state(self, word: str) -> str:
        return self.paint(word, _STATE_COLOURS[word.partition("(")[0]])

    def glyph(self, kind: str) -> str:
        """The mark of a line: ``start``, ``done``, ``failed``, ``retry``, ``next``."""
        fancy, plain = {
            "start": ("•", "*"),
            "done": ("✓", "+"),
            "failed": ("✗", "x"),
            "retry": ("↺", "~"),
            "next": ("→", "->"),
        }[kind]
        return fancy if self.unicode else plain

    def next_commands(self, *commands: tuple[str, str]) -> None:
        """After a change: what a user most likely types next, as ``(command, what it does)``."""
        width = max(len(command) for command, _ in commands)
        for command, purpose in commands:
            self.say(f"  {self.paint(self.glyph('next'), 'dim')} {command:<{width}}  {self.paint(purpose, 'dim')}")

    def report(self, error: SidingsError) -> None:
        """An error as every command shows it: what, where, why, and how to mend it."""
        self.say(f"{self.paint(f'error[{error.code}]:', 'red')} {error.what or error}")
        if isinstance(error, CliError) and error.where:
            self.say(f"  --> {error.where}")
        if error.cause:
            self.say(f"  cause: {error.cause}")
        if error.remedy:
            self.say(f"{self.paint('help:', 'cyan')} {error.remedy}")


def of_process(environ: Mapping[str, str], *, no_color: bool) -> Console:
    """The console of this process's own stdout and stderr."""
    out_is_terminal, err_is_terminal = sys.stdout.isatty(), sys.stderr.isatty()
    dumb = environ.get("TERM") == "dumb"
    encodings = {(stream.encoding or "").lower().replace("-", "") for stream in (sys.stdout, sys.stderr)}
    return Console(
        out=sys.stdout,
        err=sys.stderr,
        colour=out_is_terminal and err_is_terminal and not dumb and not no_color and not environ.get("NO_COLOR"),
        live=err_is_terminal and not dumb,
        unicode=encodings == {"utf8"},
        width=shutil.get_terminal_size().columns if out_is_terminal else 0,
    )
