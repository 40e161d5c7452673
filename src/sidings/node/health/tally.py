"""From single answers to a verdict: only so many equal answers in a row change it. Pure."""

from __future__ import annotations

from sidings.node.health.probe import Kind, Probe

_INITIALLY = {Kind.STARTUP: None, Kind.LIVENESS: True, Kind.READINESS: False}
"""A container is alive and not ready until its probes say otherwise; whether it has started is not known."""


class Tally:
    """The answers to one probe of one attempt."""

    def __init__(self, probe: Probe, verdict: bool | None = None) -> None:
        """``verdict``: what an earlier agent knew already."""
        self._probe = probe
        self.verdict = _INITIALLY[probe.kind] if verdict is None else verdict
        self._last: bool | None = None
        self._run = 0

    def record(self, well: bool) -> bool:
        """Count an answer; returns whether the verdict is another one now."""
        self._run = self._run + 1 if well == self._last else 1
        self._last = well
        if self._run < (self._probe.successes if well else self._probe.failures):
            return False
        changed = self.verdict != well
        self.verdict = well
        return changed
