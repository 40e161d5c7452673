"""What a replay found: how many recordings agree, how many of them by a rule, and every difference that is left."""

from __future__ import annotations

from collections.abc import Sequence

from sidings.api.objects import Object
from tests.conformance.traces import Difference, Rule, unexplained


class Tally:
    """Counts recordings and prints, as they come, one line per unexplained difference."""

    def __init__(self, rules: list[Rule], *, only: str = "", quiet: bool = False) -> None:
        """``only``: the text that names of wanted recordings contain; ``quiet``: print nothing."""
        self.rules = rules
        self._only = only
        self._quiet = quiet
        self._total = self._agreed = self._by_rule = self._skipped = 0

    @property
    def all_agree(self) -> bool:
        return self._agreed == self._total

    def wants(self, name: str) -> bool:
        return self._only in name

    def skip(self, name: str, reason: str) -> None:
        """A recording that cannot be played here."""
        self._skipped += 1
        self._print(f"skipped {name}: {reason}")

    def note(
        self, name: str, differences: Sequence[Difference], failure: str = "", trace: Object | None = None
    ) -> None:
        """``failure``: why the recording could not be played to its end; ``trace``: what was played, if a trace."""
        left = unexplained(differences, self.rules, trace)
        self._total += 1
        if not left and not failure:
            self._agreed += 1
            self._by_rule += bool(differences)
            return
        for difference in left:
            self._print(f"{name}: {difference}")
        if failure:
            self._print(f"{name}: {failure.rstrip()}")

    def summary(self) -> str:
        skipped = f", {self._skipped} not played" if self._skipped else ""
        return f"{self._agreed} of {self._total} recordings agree ({self._by_rule} of them by a rule{skipped})"

    def _print(self, text: str) -> None:
        if not self._quiet:
            print(text)
