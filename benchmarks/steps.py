"""Steps of a long benchmark, one after the other: each in a time of its own, its finding printed when it is known.

A step that fails or takes too long says why and the next one goes on; a step that would start too late is skipped.
"""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any

PATIENCE = 90
"""Seconds that one step may take."""

Step = Callable[[], dict[str, Any]]


class Findings(dict[str, dict[str, Any]]):
    """What the steps found so far; runs them."""

    def __init__(self, until: float, only: Sequence[str]) -> None:
        """``until``: no step starts later on the monotonic clock. ``only``: words of names of steps, none for all."""
        super().__init__()
        signal.signal(signal.SIGALRM, _out_of_time)
        self._until = until
        self._only = only

    def wants(self, name: str) -> bool:
        return not self._only or any(word in name for word in self._only)

    def take(self, name: str, step: Step, *, clear: Callable[[], None], always: bool = False) -> None:
        """Take one step, in at most ``PATIENCE`` seconds, and print what it found.

        ``clear`` takes away what is left of a step that failed, which must not hold the GPUs of the next one.
        """
        if not always and not self.wants(name):
            return
        began = time.monotonic()
        if began > self._until:
            self[name] = {"skipped": "no time left"}
            return
        signal.alarm(PATIENCE)
        try:
            self[name] = step()
        except (SystemExit, OSError, subprocess.SubprocessError, StopIteration, LookupError, ValueError) as error:
            self[name] = {"failed": f"{type(error).__name__}: {error}"}
        finally:
            signal.alarm(0)
        self[name]["seconds"] = round(time.monotonic() - began, 1)
        print(json.dumps({name: self[name]}), flush=True)
        if "failed" in self[name]:
            clear()


def _out_of_time(number: int, frame: object) -> None:
    raise SystemExit(f"not done after {PATIENCE} s")
