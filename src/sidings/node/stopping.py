"""Containers on their way out: their preStop hook first, then SIGTERM with what is left of the grace period.

kubelet's ``killContainer`` (v1.36): the hook's time is part of the grace period, but the process always gets two
seconds; without a grace period there is no hook.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from sidings.api.objects import Object
from sidings.clock import Clock
from sidings.node import lifecycle
from sidings.node.health import hooks
from sidings.node.health.place import Place, Reach
from sidings.node.pod_sandbox import PodBox

MINIMUM_GRACE_SECONDS = 2.0
DEFAULT_GRACE_SECONDS = 30


def grace_seconds(pod: Object) -> float:
    """What the pod's containers get between SIGTERM and SIGKILL if nobody says less."""
    return float(pod["spec"].get("terminationGracePeriodSeconds", DEFAULT_GRACE_SECONDS))


class Stopping:
    """What is being stopped of one pod, by attempt, so that asking twice runs no hook twice."""

    def __init__(self, box: PodBox, reach: Reach, clock: Clock, note: Callable[[str, str, str], None]) -> None:
        self._box = box
        self._reach = reach
        self._clock = clock
        self._note = note
        self._asked: dict[str, int] = {}
        self._hooks: dict[str, asyncio.Task[None]] = {}

    def has_begun(self, name: str, attempt: int) -> bool:
        return self._asked.get(name) == attempt

    async def stop(self, pod: Object, names: Iterable[str], grace: float) -> None:
        """Begin to stop ``names``; returns at once. Asked again with another grace period, a hook that still runs has
        had its time."""
        now: list[str] = []
        for name in names:
            attempt = self._box.attempts[name][-1].number
            begun = self.has_begun(name, attempt)
            self._asked[name] = attempt
            if task := self._hooks.pop(name, None):
                task.cancel()
            container = _container(pod, name)
            handler = hooks.hook(container, "preStop")
            if handler and grace > 0 and not begun:
                place = Place.of(container, self._box.address or "", self._reach)
                self._hooks[name] = asyncio.create_task(self._after_hook(handler, place, grace), name=f"preStop {name}")
            else:
                now.append(name)
        if now:
            await self._box.stop(now, grace)

    async def stop_all(
        self, pod: Callable[[], Object], grace: Callable[[], float], changed: Callable[[], Awaitable[None]]
    ) -> None:
        """Stop what runs, sidecars after the others, and return when nothing does.

        ``pod`` and ``grace`` are asked again whenever something has ``changed``: a shorter grace period is honoured.
        """
        inits = pod()["spec"].get("initContainers") or ()
        sidecars = {container["name"] for container in inits if lifecycle.is_sidecar(container)}
        for group in (self._box.running() - sidecars, self._box.running() & sidecars):
            for name in sorted(group):
                self._note("Normal", "Killing", f"Stopping container {name}")
            asked: float | None = None
            while names := self._box.running() & group:
                left = grace()
                if asked is None or left < asked - 1:
                    asked = left
                    await self.stop(pod(), names, left)
                await changed()

    def close(self) -> None:
        for task in self._hooks.values():
            task.cancel()

    async def _after_hook(self, handler: Object, place: Place, grace: float) -> None:
        begun = self._clock.monotonic()
        answer = await hooks.run(handler, place, self._clock, grace)
        if not answer.well:
            self._note("Warning", hooks.FAILED_PRE_STOP, hooks.PRE_STOP_MESSAGE)
        left = grace - (self._clock.monotonic() - begun)
        await self._box.stop([place.container], max(left, MINIMUM_GRACE_SECONDS))
        del self._hooks[place.container]


def _container(pod: Object, name: str) -> Object:
    containers = (*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"])
    return next(container for container in containers if container["name"] == name)
