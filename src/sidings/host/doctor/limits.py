"""Whether the kernel will keep containers to their limits."""

from __future__ import annotations

from pathlib import Path

from sidings.host.doctor.finding import Finding, ok, warning
from sidings.host.doctor.surroundings import Surroundings
from sidings.node.limits import enforcement
from sidings.node.limits.enforcement import Enforcement

CHECK = "limits"


def examine(directory: Path, surroundings: Surroundings) -> Finding:
    """Make the control groups of an agent in ``directory``, and remove them."""
    found = enforcement.probe(directory)
    enforcement.forget(directory)
    return judge(found, surroundings)


def judge(found: Enforcement, surroundings: Surroundings) -> Finding:
    message = f"{found.reason}: {found.message}"
    if found.parents:
        return ok(CHECK, message)
    if surroundings.container:
        return warning(CHECK, message, "start the container with --privileged, so that it may make control groups")
    return warning(CHECK, message, "" if surroundings.root else "sudo sidings up")
