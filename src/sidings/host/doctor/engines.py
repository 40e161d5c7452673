"""Which container engines could run pods from their images (``up --runtime``). Pods do without: none is no problem."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sidings.host.doctor.finding import Finding, ok
from sidings.node.container_engine import discovery
from sidings.node.container_engine.engine import DOCKER, PODMAN
from sidings.node.errors import EngineUnavailable

CHECK = "engines"


async def examine(environ: Mapping[str, str], state: Path) -> Finding:
    """Ask each; nothing is started or pulled."""
    found: dict[str, str] = {}
    refused: dict[str, EngineUnavailable] = {}
    for name in (PODMAN, DOCKER):
        try:
            found[name] = await discovery.version(discovery.required(name, environ, state))
        except EngineUnavailable as error:
            refused[name] = error
    return judge(found, refused)


def judge(found: Mapping[str, str], refused: Mapping[str, EngineUnavailable]) -> Finding:
    """``found``: engine -> version. The remedy is that of the first engine that cannot be used."""
    usable = [f"{name} {version} (sidings up --runtime {name})" for name, version in found.items()]
    missing = [f"{error.what}: {error.cause}" for error in refused.values()]
    remedy = "" if found else next(iter(refused.values())).remedy
    text = "; ".join((f"images can be run by {' or '.join(usable)}" if usable else "no images are run", *missing))
    return ok(CHECK, text, remedy)
