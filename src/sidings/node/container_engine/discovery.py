"""Finding the container engine that a user has asked for, and whether it works: by asking it."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
from collections.abc import Mapping
from pathlib import Path

from sidings.node.container_engine.complaint import complaint
from sidings.node.container_engine.engine import DOCKER, PODMAN, ContainerEngine
from sidings.node.errors import EngineUnavailable
from sidings.node.sandbox.tier import Kind, Tier

_KEPT = (
    "HOME", "PATH", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR", "CONTAINERS_CONF",
    "CONTAINERS_STORAGE_CONF", "CONTAINERS_REGISTRIES_CONF", "REGISTRY_AUTH_FILE", "DOCKER_HOST", "DOCKER_CONFIG",
    "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy",
    "no_proxy",
)  # fmt: skip
"""Variables of the user's that steer an engine: where its images, settings, credentials and proxies are."""


def installed(name: str, environ: Mapping[str, str], state: Path) -> ContainerEngine | None:
    """The engine ``name`` of this machine; None where there is no such program on the user's path."""
    program = shutil.which(name, path=environ.get("PATH"))
    if program is None:
        return None
    kept = {key: environ[key] for key in _KEPT if key in environ}
    flags = podman_flags(Path("/"), environ) if name == PODMAN else ()
    return ContainerEngine(name, program, kept, str(state), flags, resource.getrlimit(resource.RLIMIT_NOFILE)[1])


def podman_flags(root: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """podman's default is to ask systemd for control groups, which fails where no systemd runs (containers, many VMs).

    A user who has settings of their own for podman is left alone.
    """
    if environ.get("CONTAINERS_CONF") or (root / "run/systemd/system").is_dir():
        return ()
    return ("--cgroup-manager", "cgroupfs")


def refuse_tier(engine: ContainerEngine, tier: Tier) -> None:
    """Raises ``EngineUnavailable`` where pods have no namespaces that the engine's containers could join."""
    if tier.kind != Kind.NAMESPACES:
        raise EngineUnavailable(
            f"{engine.name} cannot run pods on this machine",
            cause=tier.message,
            remedy="sidings doctor   (says what would allow full namespaces)",
        )


async def version(engine: ContainerEngine) -> str:
    """The version of the engine that answers. Raises ``EngineUnavailable`` where none does."""
    field = "{{json .Server.Version}}" if engine.name == DOCKER else "{{json .Client.Version}}"
    asked = await asyncio.create_subprocess_exec(
        *engine.command("version", "--format", field),
        env=dict(engine.environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    answer, said = await asked.communicate()
    if asked.returncode:
        why = complaint(said.decode(errors="replace"))
        raise EngineUnavailable(f"{engine.name} does not answer", cause=why, remedy=f"{engine.name} info")
    return str(json.loads(answer))


def required(name: str, environ: Mapping[str, str], state: Path) -> ContainerEngine:
    """The engine ``name``. Raises ``EngineUnavailable`` where it is not there, or not for this user."""
    engine = installed(name, environ, state)
    if engine is None:
        raise EngineUnavailable(
            f"{name} is not installed", cause=f"there is no program {name} on the path", remedy=_INSTALL[name]
        )
    if os.geteuid() != 0:
        raise EngineUnavailable(
            f"{name} needs root here",
            cause="its containers join the network of their pod, which an ordinary user's engine may not enter",
            remedy=f"sudo sidings up --runtime {name}",
        )
    return engine


_INSTALL = {
    PODMAN: "sudo apt-get install podman   (or: sudo dnf install podman)",
    DOCKER: "sudo apt-get install docker.io   (or follow https://docs.docker.com/engine/install)",
}
