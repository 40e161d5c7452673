"""Where this process runs: which user, in which container, under which restrictions of the kernel."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_CONTAINER_MARKS = {"docker": "/.dockerenv", "podman": "/run/.containerenv"}
_RESTRICTIONS = {
    "kernel.apparmor_restrict_unprivileged_userns": "1",
    "kernel.unprivileged_userns_clone": "0",
    "user.max_user_namespaces": "0",
}
"""Settings by which distributions keep ordinary users from making namespaces, with the value that does so."""


@dataclass(frozen=True)
class Surroundings:
    root: bool
    container: str = ""
    """``docker``, ``podman``, ``kubernetes`` or "" for none that is known."""
    restrictions: tuple[str, ...] = ()
    """Names of the sysctl settings that forbid namespaces to ordinary users."""


def look(environ: Mapping[str, str], root: Path = Path("/")) -> Surroundings:
    """``root`` is where ``/proc`` and the marks of containers are looked for."""
    container = next((name for name, mark in _CONTAINER_MARKS.items() if (root / mark[1:]).exists()), "")
    if environ.get("KUBERNETES_SERVICE_HOST") and not container:
        container = "kubernetes"
    return Surroundings(os.geteuid() == 0, container, tuple(_restrictions(root / "proc/sys")))


def _restrictions(settings: Path) -> list[str]:
    found = []
    for name, value in _RESTRICTIONS.items():
        path = settings / name.replace(".", "/")
        if path.exists() and path.read_text().strip() == value:
            found.append(name)
    return found
