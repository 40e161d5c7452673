"""The columns of ``kubectl get pods``: what a pod is doing, in one word.

The word is not a field: it comes from the phase, the containers' states and the deletion mark, by the rules of
``printPod`` in ``pkg/printers/internalversion/printers.go`` (Kubernetes v1.36).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sidings.api import age, conditions
from sidings.api.kind import Column
from sidings.api.kinds import columns
from sidings.api.objects import Object

NODE_LOST = "NodeLost"
SCHEDULING_GATED = "SchedulingGated"


class Summary(NamedTuple):
    """What the columns are made of. ``last_restart`` is the RFC 3339 time of the latest one, or empty."""

    status: str
    ready: int
    total: int
    restarts: int
    last_restart: str

    def restarts_text(self, now: datetime) -> str:
        if not self.restarts or not self.last_restart:
            return str(self.restarts)
        return f"{self.restarts} ({age.since(self.last_restart, now)} ago)"


def summary(pod: Mapping[str, Any]) -> Summary:
    """The state of ``pod`` in upstream's words."""
    status, spec = pod.get("status") or {}, pod.get("spec") or {}
    scheduled = conditions.find(status.get("conditions"), "PodScheduled") or {}
    word = status.get("reason") or status.get("phase") or ""
    if scheduled.get("reason") == SCHEDULING_GATED:
        word = SCHEDULING_GATED
    init = spec.get("initContainers") or ()
    sidecars = {container["name"] for container in init if container.get("restartPolicy") == "Always"}
    ready, counted = 0, []
    initialized = True
    for index, container in enumerate(status.get("initContainerStatuses") or ()):
        counted.append(container)
        if _has_exited_well(container):
            continue
        if container["name"] in sidecars and container.get("started"):
            ready += bool(container.get("ready"))
            continue
        word, initialized = f"Init:{_init_word(container) or f'{index}/{len(init)}'}", False
        break
    if initialized or conditions.is_true(pod, "Initialized"):
        main = status.get("containerStatuses") or []
        word = _main_word(pod, word, main)
        ready += sum(_is_running_and_ready(container) for container in main)
        counted = [container for container in counted if container["name"] in sidecars] + main
    if pod["metadata"].get("deletionTimestamp"):
        if status.get("reason") == NODE_LOST:
            word = "Unknown"
        elif status.get("phase") not in ("Succeeded", "Failed"):
            word = "Terminating"
    total = len(spec.get("containers") or ()) + len(sidecars)
    return Summary(word, ready, total, *_restarts(counted))


def _has_exited_well(container: Object) -> bool:
    terminated = (container.get("state") or {}).get("terminated")
    return terminated is not None and terminated.get("exitCode") == 0


def _is_running_and_ready(container: Object) -> bool:
    return bool(container.get("ready")) and (container.get("state") or {}).get("running") is not None


def _init_word(container: Object) -> str:
    """What keeps an init container from being done, or nothing where it just takes its time."""
    state = container.get("state") or {}
    if state.get("terminated") is not None:
        return _exit_word(state["terminated"])
    reason = str((state.get("waiting") or {}).get("reason") or "")
    return "" if reason == "PodInitializing" else reason


def _exit_word(terminated: Object) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode', 0)}"


def _main_word(pod: Mapping[str, Any], word: str, main: list[Object]) -> str:
    """The word of the first container that has something to tell."""
    for container in reversed(main):
        state = container.get("state") or {}
        if (state.get("waiting") or {}).get("reason"):
            word = state["waiting"]["reason"]
        elif state.get("terminated") is not None:
            word = _exit_word(state["terminated"])
    if word == "Completed" and any(_is_running_and_ready(container) for container in main):
        return "Running" if conditions.is_true(pod, "Ready") else "NotReady"
    return word


def _restarts(containers: list[Object]) -> tuple[int, str]:
    """How many, and when the last one happened: RFC 3339 texts in UTC compare as times."""
    last = ""
    for container in containers:
        ended = ((container.get("lastState") or {}).get("terminated") or {}).get("finishedAt") or ""
        last = max(last, ended)
    return sum(container.get("restartCount") or 0 for container in containers), last


def _ready(obj: Object, now: datetime) -> Any:
    found = summary(obj)
    return f"{found.ready}/{found.total}"


def _gates(obj: Object, now: datetime) -> Any:
    gates = obj["spec"].get("readinessGates") or ()
    if not gates:
        return columns.NONE
    passed = sum(conditions.is_true(obj, gate.get("conditionType") or "") for gate in gates)
    return f"{passed}/{len(gates)}"


def _ip(obj: Object, now: datetime) -> Any:
    status = obj.get("status") or {}
    addresses = status.get("podIPs") or ()
    return (addresses[0].get("ip") if addresses else status.get("podIP")) or columns.NONE


COLUMNS = (
    columns.NAME,
    Column("Ready", cell=_ready, description="Containers that are ready, of all."),
    Column("Status", cell=lambda obj, now: summary(obj).status, description="What the pod is doing, in one word."),
    Column(
        "Restarts",
        cell=lambda obj, now: summary(obj).restarts_text(now),
        description="How often its containers were started again, and when last.",
    ),
    columns.AGE,
    Column("IP", cell=_ip, priority=1, description="Address of the pod."),
    Column(
        "Node",
        cell=columns.field("spec", "nodeName", missing=columns.NONE),
        priority=1,
        description="Node that runs it.",
    ),
    Column(
        "Nominated Node",
        cell=columns.field("status", "nominatedNodeName", missing=columns.NONE),
        priority=1,
        description="Node that is being cleared for it.",
    ),
    Column("Readiness Gates", cell=_gates, priority=1, description="Extra conditions that hold, of all."),
)
