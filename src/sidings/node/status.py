"""PodStatus from the states of containers. Pure.

Conditions, reasons and messages are kubelet's (v1.36: ``pkg/kubelet/status/generate.go``); every field that typed
clients require is always there, since one incomplete status breaks a whole list for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from sidings.api import timestamps
from sidings.api.conditions import find
from sidings.api.objects import Object
from sidings.api.pod_phase import ENDED
from sidings.node import lifecycle
from sidings.node.sandbox.spec import Attempt

POD_INITIALIZING = "PodInitializing"
CONTAINER_CREATING = "ContainerCreating"
CRASH_LOOP_BACK_OFF = "CrashLoopBackOff"
STATUS_UNKNOWN = "ContainerStatusUnknown"
NOT_LOCATED = "The container could not be located when the pod was terminated"
KILLED = 137


class Waiting(NamedTuple):
    """Why a container does not run: ``CreateContainerConfigError`` and the like."""

    reason: str
    message: str = ""


class Health(Protocol):
    """What probes say of running containers."""

    def is_started(self, container: str) -> bool: ...

    def is_ready(self, container: str) -> bool: ...


class Ending(NamedTuple):
    """A terminal state of the pod as a whole; ``reason`` such as ``DeadlineExceeded`` is often empty."""

    phase: str
    reason: str = ""
    message: str = ""


def pod_status(
    pod: Object,
    attempts: lifecycle.Attempts,
    *,
    now: datetime,
    address: str = "",
    host_address: str = "",
    waiting: Mapping[str, Waiting] | None = None,
    ending: Ending | None = None,
    health: Health | None = None,
) -> Object:
    """The status to be written: everything the node decides; conditions of others are not mentioned.

    Without ``health`` a container that runs is started and ready.
    """
    waiting = waiting or {}
    before = pod.get("status") or {}
    inits = pod["spec"].get("initContainers") or ()
    containers = pod["spec"]["containers"]
    initialized = all(_initialized(container, attempts.get(container["name"], ()), health) for container in inits)
    default = Waiting(CONTAINER_CREATING if initialized else POD_INITIALIZING)
    final = ending is not None
    main_statuses = [container_status(c, attempts, waiting, default, final, health) for c in containers]
    init_statuses = [container_status(c, attempts, waiting, Waiting(POD_INITIALIZING), final, health) for c in inits]
    for container, shown in zip(inits, init_statuses, strict=True):
        if not lifecycle.is_sidecar(container):
            shown["ready"] = _initialized(container, attempts.get(container["name"], ()), health)
    phase = ending.phase if ending else _phase(attempts, [c["name"] for c in containers])
    status: Object = {
        "phase": phase,
        "conditions": conditions(pod, phase, initialized, main_statuses, now, bool(address)),
        "startTime": before.get("startTime") or timestamps.to_text(now),
        "containerStatuses": main_statuses,
    }
    if inits:
        status["initContainerStatuses"] = init_statuses
    if host_address:
        status |= {"hostIP": host_address, "hostIPs": [{"ip": host_address}]}
    if address:
        status |= {"podIP": address, "podIPs": [{"ip": address}]}
    if ending and ending.reason:
        status |= {"reason": ending.reason, "message": ending.message}
    return status


def container_status(
    container: Object,
    attempts: lifecycle.Attempts,
    waiting: Mapping[str, Waiting],
    default: Waiting,
    final: bool,
    health: Health | None = None,
) -> Object:
    """One entry of ``containerStatuses``; with ``final`` no container may be left waiting or running."""
    name = container["name"]
    known = attempts.get(name, ())
    last = known[-1] if known else None
    image = container.get("image") or ""
    status: Object = {
        "name": name,
        "image": image,
        "imageID": last.image_id if last else "",
        "containerID": _container_id(name, last) if last else "",
        "ready": False,
        "started": False,
        "restartCount": last.number if last else 0,
        "state": {},
        "lastState": {},
    }
    if last is None:
        if final:
            status["state"] = {"terminated": _lost()}
        else:
            status["state"] = {"waiting": _waiting(waiting.get(name, default))}
        return status
    if last.running and not final:
        status |= {
            "state": {"running": {"startedAt": _text(last.started_at)}},
            "ready": health is None or health.is_ready(name),
            "started": health is None or health.is_started(name),
        }
        previous = known[-2] if len(known) > 1 else None
    elif name in waiting and not final:
        status["state"] = {"waiting": _waiting(waiting[name])}
        previous = last
    else:
        status["state"] = {"terminated": _terminated(name, last)}
        previous = known[-2] if len(known) > 1 else None
    if previous is not None:
        status["lastState"] = {"terminated": _terminated(name, previous)}
    return status


def conditions(
    pod: Object, phase: str, initialized: bool, statuses: Sequence[Object], now: datetime, has_sandbox: bool
) -> list[Object]:
    """The five conditions that belong to the node; each keeps its transition time while its status stays."""
    unready = [status["name"] for status in statuses if not status["ready"]]
    if phase == "Succeeded":
        why = {"reason": "PodCompleted"}
    elif phase == "Failed":
        why = {"reason": "PodFailed"}
    elif unready:
        why = {"reason": "ContainersNotReady", "message": f"containers with unready status: [{' '.join(unready)}]"}
    else:
        why = {}
    ready = "False" if why else "True"
    gates = why or _gates(pod)
    finished = phase in ENDED
    not_initialized: Object = {}
    if phase == "Succeeded":
        not_initialized = {"reason": "PodCompleted"}
    elif not initialized:
        names = " ".join(c["name"] for c in pod["spec"].get("initContainers") or ())
        not_initialized = {
            "reason": "ContainersNotInitialized",
            "message": f"containers with incomplete status: [{names}]",
        }
    wanted: list[Object] = [
        {"type": "PodReadyToStartContainers", "status": "True" if has_sandbox and not finished else "False"},
        {"type": "Initialized", "status": "True" if initialized else "False", **not_initialized},
        {"type": "Ready", "status": "False" if gates else "True", **gates},
        {"type": "ContainersReady", "status": ready, **why},
    ]
    before = (pod.get("status") or {}).get("conditions")
    if find(before, "PodScheduled") is None:
        wanted.append({"type": "PodScheduled", "status": "True"})
    moment = timestamps.to_text(now)
    for condition in wanted:
        seen = find(before, condition["type"])
        same = seen is not None and seen["status"] == condition["status"] and seen.get("lastTransitionTime")
        condition["lastProbeTime"] = None
        condition["lastTransitionTime"] = seen["lastTransitionTime"] if same and seen else moment
        # A strategic merge keeps what it is not told about: reasons that no longer hold are cleared by name.
        for field in ("reason", "message"):
            if seen is not None and seen.get(field) and field not in condition:
                condition[field] = None
    return wanted


def _gates(pod: Object) -> Object:
    """Why the pod is not ready although its containers are: conditions that others have not (yet) set to True."""
    known = (pod.get("status") or {}).get("conditions")
    missing = []
    for gate in pod["spec"].get("readinessGates") or ():
        type_ = gate["conditionType"]
        found = find(known, type_)
        if found is None:
            missing.append(f'corresponding condition of pod readiness gate "{type_}" does not exist.')
        elif found["status"] != "True":
            missing.append(f'the status of pod readiness gate "{type_}" is not "True", but {found["status"]}')
    return {"reason": "ReadinessGatesNotReady", "message": ", ".join(missing)} if missing else {}


def _phase(attempts: lifecycle.Attempts, names: Sequence[str]) -> str:
    """Running once every container has been started; a pod that is still starting is Pending."""
    return "Running" if all(attempts.get(name) for name in names) else "Pending"


def _initialized(container: Object, attempts: Sequence[Attempt], health: Health | None) -> bool:
    if not attempts:
        return False
    last = attempts[-1]
    if lifecycle.is_sidecar(container):
        return not last.running or health is None or health.is_started(container["name"])
    return not last.running and last.exit_code == 0


def _waiting(waiting: Waiting) -> Object:
    return {"reason": waiting.reason} | ({"message": waiting.message} if waiting.message else {})


def _container_id(name: str, attempt: Attempt) -> str:
    """The container engine's, else one of ours: each attempt is a container of its own."""
    return attempt.container_id or f"sidings://{name}-{attempt.number}"


def _terminated(name: str, attempt: Attempt) -> Object:
    finished = attempt.finished_at if attempt.finished_at is not None else attempt.started_at
    state: Object = {
        "exitCode": KILLED if attempt.exit_code is None else attempt.exit_code,
        "reason": attempt.reason or STATUS_UNKNOWN,
        "startedAt": _text(attempt.started_at),
        "finishedAt": _text(finished),
        "containerID": _container_id(name, attempt),
    }
    if attempt.signal:
        state["signal"] = attempt.signal
    if attempt.message:
        state["message"] = attempt.message
    return state


def _lost() -> Object:
    """A container that never ran in a pod that is over."""
    return {
        "exitCode": KILLED,
        "reason": STATUS_UNKNOWN,
        "message": NOT_LOCATED,
        "startedAt": None,
        "finishedAt": None,
        "containerID": "",
    }


def _text(seconds: float) -> str:
    return timestamps.to_text(datetime.fromtimestamp(seconds, UTC))
