"""A TrainJob on the engine of a benchmark: waited for while the caller samples, and its logs."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine import Engine

PAUSE = 0.2
"""Seconds between two looks."""


def wait(
    engine: Engine, name: str, namespace: str, *, patience: float, meanwhile: Callable[[], object] = lambda: None
) -> None:
    """Wait until a TrainJob is complete, and call ``meanwhile`` at every look.

    Raises SystemExit with its logs and the namespace's events where it fails, or is not complete after ``patience``
    seconds.
    """
    deadline = time.monotonic() + patience
    while not (ended := _end(engine, name, namespace)) and time.monotonic() < deadline:
        meanwhile()
        time.sleep(PAUSE)
    if ended != "Complete":
        events = engine.kubectl("get", "events", "-n", namespace, "--sort-by=.metadata.creationTimestamp")
        why = ended or f"not complete after {patience:.0f} s"
        raise SystemExit(f"{name}: {why}\n{logs(engine, name, namespace)[-6000:]}\n{events[-3000:]}")


def _end(engine: Engine, name: str, namespace: str) -> str:
    """Complete, Failed with its message, or nothing yet."""
    status = engine.get("trainjob", name, "-n", namespace).get("status", {})
    met = {it["type"]: it for it in status.get("conditions", []) if it["status"] == "True"}
    return "Complete" if "Complete" in met else f"Failed: {met['Failed']['message']}" if "Failed" in met else ""


def log(engine: Engine, name: str, namespace: str) -> str:
    """Of its first rank."""
    return _logs(engine, namespace, f"jobset.sigs.k8s.io/jobset-name={name},batch.kubernetes.io/job-completion-index=0")


def logs(engine: Engine, name: str, namespace: str) -> str:
    """Of all its ranks, one after the other."""
    return _logs(engine, namespace, f"jobset.sigs.k8s.io/jobset-name={name}")


def _logs(engine: Engine, namespace: str, selector: str) -> str:
    return engine.kubectl("logs", "-n", namespace, "-l", selector, "--tail=-1")
