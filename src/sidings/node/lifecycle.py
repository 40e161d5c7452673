"""What a pod needs next, decided from what became of its containers so far. Pure.

The rules are kubelet's (``pkg/kubelet/kuberuntime``, v1.36): init containers one after the other, then all others at
once; an init container with ``restartPolicy: Always`` is a sidecar that only has to start (and to pass its startup
probe); a container that ended is restarted as ``restarting`` says, after a back-off, at once the first time and then
10 s doubling to 5 min, anew after ten minutes of running.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sidings.api.objects import Object
from sidings.node import restarting
from sidings.node.sandbox.spec import Attempt

BACK_OFF_SECONDS = 10.0
MAX_BACK_OFF_SECONDS = 300.0
RESET_AFTER_SECONDS = 600.0

Attempts = Mapping[str, Sequence[Attempt]]
"""All attempts of each container that was ever started, oldest first."""


@dataclass(frozen=True)
class Step:
    """What to do now, as of the moment asked about."""

    start: tuple[str, ...] = ()
    """Containers whose next attempt is due."""
    stop: tuple[str, ...] = ()
    """Sidecars that are no longer needed."""
    wait_seconds: float | None = None
    """When a back-off ends; None: nothing but a container's end changes anything."""
    phase: str = ""
    """``Succeeded`` or ``Failed`` once the pod is finished."""


def next_step(
    pod: Object,
    attempts: Attempts,
    now: float,
    is_started: Callable[[str], bool] = lambda name: True,
    unwell: Mapping[str, int] = MappingProxyType({}),
) -> Step:
    """The next step of a pod that is not being deleted; ``now`` in seconds since the epoch, as in ``attempts``.

    ``is_started`` says whether a running container has passed its startup probe; ``unwell`` names the attempts that
    were ended for failing a probe.
    """
    inits = pod["spec"].get("initContainers") or ()
    order = [container["name"] for container in (*inits, *pod["spec"]["containers"])]
    for position, container in enumerate(inits, 1):
        name = container["name"]
        last = _last(attempts, name)
        if is_sidecar(container):
            if last is None:
                return Step(start=(name,))
            waited_for = container.get("startupProbe") and not any(map(attempts.get, order[position:]))
            if waited_for and not last.running:
                return _restart([name], attempts, now)
            if waited_for and not is_started(name):
                return Step(wait_seconds=None)
            continue
        if last is None:
            return Step(start=(name,))
        if last.running:
            return Step(wait_seconds=None)
        if last.exit_code != 0:
            if restarting.is_restarted(pod, container, last.exit_code or 0, failed=True):
                return _restart([name], attempts, now)
            return _finish(pod, attempts, "Failed")
    return _main_step(pod, attempts, now, unwell)


def _main_step(pod: Object, attempts: Attempts, now: float, unwell: Mapping[str, int]) -> Step:
    again: list[str] = []
    unfinished = False
    failed = False
    for container in pod["spec"]["containers"]:
        name = container["name"]
        last = _last(attempts, name)
        if last is None:
            again.append(name)
        elif last.running:
            unfinished = True
        elif is_restarted(pod, name, last, unwell):
            again.append(name)
        else:
            failed = failed or last.exit_code != 0
    if not again and not unfinished:
        return _finish(pod, attempts, "Failed" if failed else "Succeeded")
    for container in pod["spec"].get("initContainers") or ():
        last = _last(attempts, container["name"])
        if is_sidecar(container) and last is not None and not last.running:
            again.append(container["name"])
    return _restart(again, attempts, now)


def _restart(names: Sequence[str], attempts: Attempts, now: float) -> Step:
    due: list[str] = []
    waits: list[float] = []
    for name in names:
        left = back_off_left(attempts.get(name, ()), now)
        if left <= 0:
            due.append(name)
        else:
            waits.append(left)
    return Step(start=tuple(due), wait_seconds=min(waits) if waits else None)


def _finish(pod: Object, attempts: Attempts, phase: str) -> Step:
    """Finished but for the sidecars, which are stopped first."""
    running = tuple(
        container["name"]
        for container in pod["spec"].get("initContainers") or ()
        if (last := _last(attempts, container["name"])) is not None and last.running
    )
    return Step(stop=running) if running else Step(phase=phase)


def back_off(attempts: Sequence[Attempt]) -> float:
    """Seconds between the end of the last attempt and the next start."""
    delay = 0.0
    for attempt in attempts:
        ran = (attempt.finished_at or attempt.started_at) - attempt.started_at
        if ran >= RESET_AFTER_SECONDS:
            delay = 0.0
        following = max(delay * 2, BACK_OFF_SECONDS) if delay or attempt is not attempts[0] else 0.0
        delay = min(following, MAX_BACK_OFF_SECONDS)
    return delay


def back_off_left(attempts: Sequence[Attempt], now: float) -> float:
    """Seconds until the next attempt may start; 0 or less: now."""
    if not attempts:
        return 0.0
    return (attempts[-1].finished_at or now) + back_off(attempts) - now


def is_restarted(pod: Object, name: str, ended: Attempt, unwell: Mapping[str, int]) -> bool:
    """Whether a container that ended is run again; one that failed a probe has failed, whatever its exit code."""
    containers = (*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"])
    container = next(container for container in containers if container["name"] == name)
    failed = ended.exit_code != 0 or unwell.get(name) == ended.number
    return restarting.is_restarted(pod, container, ended.exit_code or 0, failed=failed)


def is_sidecar(init_container: Object) -> bool:
    return init_container.get("restartPolicy") == "Always"


def _last(attempts: Attempts, name: str) -> Attempt | None:
    known = attempts.get(name)
    return known[-1] if known else None
