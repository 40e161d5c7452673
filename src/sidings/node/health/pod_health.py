"""The probes of one pod: a task for each probe of each running attempt, and what they found.

As kubelet's prober (``pkg/kubelet/prober``): liveness and readiness wait for startup; a container that fails startup
or liveness is not asked again until its next attempt; readiness is asked to the end. A container without a probe is
started, alive and ready as soon as it runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidings.api.objects import Object
from sidings.clock import Clock
from sidings.node.health.checks import ask
from sidings.node.health.place import Place, Reach
from sidings.node.health.probe import Kind, Probe, probes
from sidings.node.health.tally import Tally
from sidings.node.sandbox.spec import Attempt

UNHEALTHY = "Unhealthy"
"""Reason of the events about answers that are not well."""


class Failed(NamedTuple):
    """An attempt that has to be replaced."""

    attempt: int
    kind: Kind
    grace: int | None


class _Watched:
    """One attempt and its probes."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.started = asyncio.Event()
        self.ready = False
        self.failed: Failed | None = None
        self.tasks: dict[Kind, asyncio.Task[None]] = {}


class PodHealth:
    """What the probes of one pod say; ``changed`` is called whenever that is something new."""

    def __init__(
        self, clock: Clock, reach: Reach, note: Callable[[str, str], None], changed: Callable[[], None]
    ) -> None:
        """``note`` records an event of a reason and a message."""
        self._clock = clock
        self._reach = reach
        self._note = note
        self._changed = changed
        self._watched: dict[str, _Watched] = {}

    def observe(self, pod: Object, attempts: Mapping[str, Sequence[Attempt]], address: str) -> None:
        """Begin to ask attempts that run now, cease to ask those that do not."""
        for container in (*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]):
            name = container["name"]
            known = attempts.get(name)
            last = known[-1] if known and known[-1].running else None
            seen = self._watched.get(name)
            if seen is not None and (last is None or seen.number != last.number):
                _cancel(seen.tasks.values())
                del self._watched[name]
                seen = None
            if last is not None and seen is None:
                self._watched[name] = self._watch(pod, container, last, address)

    def is_started(self, container: str) -> bool:
        return (seen := self._watched.get(container)) is not None and seen.started.is_set()

    def is_ready(self, container: str) -> bool:
        return (seen := self._watched.get(container)) is not None and seen.started.is_set() and seen.ready

    def failed(self) -> dict[str, Failed]:
        """Containers whose running attempt failed its startup or liveness probe."""
        return {name: seen.failed for name, seen in self._watched.items() if seen.failed is not None}

    def stopping(self) -> None:
        """The pod is being stopped: nothing is restarted any more, so only readiness is still asked about."""
        for seen in self._watched.values():
            _cancel(task for kind, task in seen.tasks.items() if kind is not Kind.READINESS)

    def close(self) -> None:
        for seen in self._watched.values():
            _cancel(seen.tasks.values())
        self._watched.clear()

    def _watch(self, pod: Object, container: Object, attempt: Attempt, address: str) -> _Watched:
        seen = _Watched(attempt.number)
        before = _status_before(pod, container["name"], attempt)
        wanted = {probe.kind: probe for probe in probes(container)}
        if Kind.STARTUP not in wanted or before.get("started"):
            seen.started.set()
            wanted.pop(Kind.STARTUP, None)
        seen.ready = Kind.READINESS not in wanted or bool(before.get("ready"))
        place = Place.of(container, address, self._reach)
        for kind, probe in wanted.items():
            task = asyncio.create_task(self._ask(probe, place, attempt, seen), name=f"{kind} of {container['name']}")
            seen.tasks[kind] = task
        return seen

    async def _ask(self, probe: Probe, place: Place, attempt: Attempt, seen: _Watched) -> None:
        if probe.kind is not Kind.STARTUP:
            await seen.started.wait()
        age = self._clock.now().timestamp() - attempt.started_at
        await self._clock.sleep(max(probe.initial_delay - age, 0))
        tally = Tally(probe, seen.ready if probe.kind is Kind.READINESS else None)
        while True:
            answer = await ask(probe.handler, place, probe.timeout)
            if answer.broken:
                self._note(UNHEALTHY, f"{probe.kind} probe errored and resulted in failure state: {answer.message}")
            elif not answer.well:
                self._note(UNHEALTHY, f"{probe.kind} probe failed: {answer.message}")
            if tally.record(answer.well):
                self._conclude(probe, tally, seen)
                self._changed()
            if probe.kind is Kind.STARTUP and tally.verdict is not None:
                return
            if probe.kind is Kind.LIVENESS and not tally.verdict:
                return
            await self._clock.sleep(probe.period)

    def _conclude(self, probe: Probe, tally: Tally, seen: _Watched) -> None:
        if probe.kind is Kind.READINESS:
            seen.ready = bool(tally.verdict)
        elif not tally.verdict:
            seen.failed = Failed(seen.number, probe.kind, probe.grace)
        elif probe.kind is Kind.STARTUP:
            seen.started.set()


def _cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()


def _status_before(pod: Object, name: str, attempt: Attempt) -> Object:
    """What the pod's status says of this attempt already: an agent that comes back forgets nothing."""
    status = pod.get("status") or {}
    for shown in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        if shown["name"] == name and shown["restartCount"] == attempt.number and "running" in shown["state"]:
            return dict(shown)
    return {}
