"""``lifecycle.postStart`` and ``preStop`` (kubelet's ``pkg/kubelet/lifecycle/handlers.go``).

A hook has no timeout of its own: postStart takes what it takes, preStop at most the grace period. An ``httpGet`` hook
fails only where no answer comes, whatever its status; ``sleep`` cannot fail.
"""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.clock import Clock
from sidings.node.health import http_get
from sidings.node.health.answer import Answer
from sidings.node.health.checks import PROBES, ask
from sidings.node.health.place import Place

FAILED_POST_START = "FailedPostStartHook"
FAILED_PRE_STOP = "FailedPreStopHook"
POST_START_MESSAGE, PRE_STOP_MESSAGE = "PostStartHook failed", "PreStopHook failed"
_FOREVER = 10**9
_KINDS = {**PROBES, "httpGet": http_get.reach}


def hook(container: Object, name: str) -> Object | None:
    """The handler called ``postStart`` or ``preStop``; None where there is none."""
    return (container.get("lifecycle") or {}).get(name) or None


async def run(handler: Object, place: Place, clock: Clock, seconds: float = _FOREVER) -> Answer:
    """Run one hook, at most for ``seconds``."""
    if rest := handler.get("sleep"):
        await clock.sleep(min(float(rest.get("seconds") or 0), seconds))
        return Answer(True)
    return await ask(handler, place, seconds, _KINDS)
