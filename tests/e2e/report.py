"""What a machine looked like when its test failed: a failure in CI must be understood from CI's log alone."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from tests.e2e.machine import Done, Machine

JOBS = "trainjobs,pytorchjobs,tfjobs,mpijobs,xgboostjobs,jaxjobs,paddlejobs,jobsets,jobs,workloads"
_SECONDS = 20
"""What does not answer by then is part of the finding."""
_EVENTS, _PODS, _ENGINE_LINES, _STATES_CHARACTERS = 40, 12, 40, 12_000


def report(machine: Machine) -> str:
    """Jobs, pods, events, the end of every pod's log and of the engine's: as far as there is still an engine."""
    if not (machine.home / "engine.json").exists():
        return "no engine runs\n" + _end_of_engine_log(machine)
    parts = [
        ("sidings status", _told(machine.sidings, "status")),
        ("jobs", _told(machine.try_kubectl, "get", JOBS, "-A")),
        ("pods", _told(machine.try_kubectl, "get", "pods", "-A", "-o", "wide")),
        ("states", _states(machine)),
        ("events", _last(_told(machine.try_kubectl, "get", "events", "-A", "--sort-by=.lastTimestamp"), _EVENTS)),
        *((f"log of {namespace}/{pod}", _log(machine, namespace, pod)) for namespace, pod in _pods(machine)),
        ("engine.log", _end_of_engine_log(machine)),
    ]
    return "\n".join(f"=== {title}\n{text}" for title, text in parts)


def _told(command: Callable[..., Done], *words: str) -> str:
    try:
        done = command(*words, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return f"no answer within {_SECONDS} s"
    return done.stdout + done.stderr


def _states(machine: Machine) -> str:
    """The conditions of all jobs and pods."""
    shown = '{range .items[*]}{.kind}/{.metadata.name} {.status}{"\\n"}{end}'
    return _told(machine.try_kubectl, "get", f"{JOBS},pods", "-A", "-o", f"jsonpath={shown}")[:_STATES_CHARACTERS]


def _pods(machine: Machine) -> list[tuple[str, str]]:
    """Namespace and name of those that began last."""
    shown = '{range .items[*]}{.metadata.namespace} {.metadata.name}{"\\n"}{end}'
    words = ("get", "pods", "-A", "--sort-by=.metadata.creationTimestamp", "-o", f"jsonpath={shown}")
    found = [tuple(line.split()) for line in _told(machine.try_kubectl, *words).splitlines()]
    return [(pair[0], pair[1]) for pair in found if len(pair) == 2][-_PODS:]


def _log(machine: Machine, namespace: str, pod: str) -> str:
    return _told(machine.try_kubectl, "logs", pod, "-n", namespace, "--all-containers", "--prefix", "--tail=25")


def _end_of_engine_log(machine: Machine) -> str:
    path = machine.home / "engine.log"
    return _last(path.read_text(errors="replace"), _ENGINE_LINES) if path.exists() else "none\n"


def _last(text: str, count: int) -> str:
    return "\n".join(text.splitlines()[-count:]) + "\n"
