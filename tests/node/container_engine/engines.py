"""A container engine that is a shell script: a real program with the answers of a real one."""

from __future__ import annotations

from pathlib import Path

from sidings.node.container_engine.engine import ContainerEngine


def scripted(directory: Path, script: str, name: str = "podman") -> ContainerEngine:
    """``script`` is run with the words of the command; what it was asked is in ``directory/asked``."""
    program = directory / name
    program.write_text(f'#!/bin/sh\necho "$@" >> {directory}/asked\n{script}\n')
    program.chmod(0o755)
    return ContainerEngine(name, str(program), {"PATH": "/usr/bin:/bin"}, str(directory))


def asked(engine: ContainerEngine) -> list[str]:
    path = Path(engine.state, "asked")
    return path.read_text().splitlines() if path.exists() else []
