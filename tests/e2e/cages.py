"""Machines that allow less than this one: an engine runs in each of them as on its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.e2e.machine import PATH, Machine

Cage = Callable[[Path], AbstractContextManager[Machine]]

DOCKER_RULES = Path(__file__).with_name("docker_rules.py")
_CONTAINERS_CONF = """\
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
"""
"""For machines without systemd and without CAP_SYS_RESOURCE."""
_FIRST = "trap exit TERM; while :; do sleep 1 & wait $!; done"
"""Pid 1 of the container: reaps what is orphaned."""


@contextlib.contextmanager
def plain(folder: Path) -> Iterator[Machine]:
    yield Machine(folder)


@contextlib.contextmanager
def podman_default(folder: Path) -> Iterator[Machine]:
    """In a container with podman's default confinement, whose root is this machine's under an overlay."""
    if os.geteuid() != 0 or not (shutil.which("podman") and shutil.which("runc")):
        pytest.skip("needs podman and runc, as root")
    settings = folder / "containers.conf"
    settings.write_text(_CONTAINERS_CONF)
    name = f"sidings-test-{uuid.uuid4().hex[:12]}"
    environ = {**os.environ, "CONTAINERS_CONF": str(settings)}
    run = ["podman", "run", "--detach", "--name", name, "--network=none", f"--volume={folder}:{folder}"]
    started = subprocess.run(
        [*run, "--rootfs", "/:O", "sh", "-c", _FIRST], env=environ, capture_output=True, text=True, timeout=60
    )
    if started.returncode:
        pytest.skip(f"podman cannot start a container here: {started.stderr.strip()[-300:]}")
    home = folder / "home"
    inside = {"SIDINGS_HOME": str(home), "HOME": str(folder), "PATH": PATH}
    variables = [f"--env={key}={value}" for key, value in inside.items()]
    it = Machine(folder, run_by=["podman", "exec", "--interactive", f"--workdir={folder}", *variables, name])
    it.environ["CONTAINERS_CONF"] = str(settings)
    try:
        yield it
    finally:
        subprocess.run(["podman", "rm", "--force", "--time=0", name], env=environ, capture_output=True, timeout=60)


@contextlib.contextmanager
def docker_default(folder: Path) -> Iterator[Machine]:
    yield Machine(folder, run_by=[sys.executable, str(DOCKER_RULES)])


@contextlib.contextmanager
def docker_default_without_compiler(folder: Path) -> Iterator[Machine]:
    it = Machine(folder, run_by=[sys.executable, str(DOCKER_RULES)])
    tools = folder / "tools"
    tools.mkdir()
    for name in ("kubectl", "sh"):
        (tools / name).symlink_to(shutil.which(name) or pytest.skip(f"there is no {name}"))
    it.environ["PATH"] = f"{Path(sys.executable).parent}:{tools}"
    yield it
