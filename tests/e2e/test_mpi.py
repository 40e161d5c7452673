"""MPI for real: ``mpirun`` reaches the other pods over ssh, as root and as an ordinary user, and through the API.

Open MPI and OpenSSH's server are Debian's `openmpi-bin` and `openssh-server`; without them the tests are skipped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.e2e.machine import Machine, manifest
from tests.e2e.ordinary_user import ordinary_user

pytestmark = pytest.mark.e2e

NEEDED = ("mpirun", "sshd", "ssh")


@pytest.fixture(scope="module", autouse=True)
def software() -> None:
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    if missing := [program for program in NEEDED if shutil.which(program, path=path) is None]:
        pytest.skip(f"no {', '.join(missing)}: apt-get install openmpi-bin openssh-server")


@pytest.fixture
def user() -> Iterator[Machine]:
    with ordinary_user() as it:
        yield it


def ranks(machine: Machine, launcher: str) -> list[str]:
    """What the processes said, by rank; launchers have one container."""
    log = machine.kubectl("logs", launcher)
    return sorted(line for line in log.splitlines() if line.startswith("rank "))


def check_for_everybody(machine: Machine) -> None:
    """A shipped runtime over ssh, the old kind through the API."""
    machine.wait_for_condition("Complete", "trainjob/shipped")
    assert ranks(machine, "job/shipped-launcher-0") == [
        "rank 0 of 3 on shipped-launcher-0-0 as 1000",
        "rank 1 of 3 on shipped-node-0-0 as 1000",
        "rank 2 of 3 on shipped-node-0-1 as 1000",
    ]
    machine.wait_for_condition("Succeeded", "mpijob/old")
    assert ranks(machine, "pod/old-launcher") == [f"rank {rank} of 2 on old-worker-{rank} as 0" for rank in range(2)]


@pytest.mark.skipif(os.geteuid() != 0, reason="a sshd of root needs an engine of root")
def test_processes_start_on_all_nodes(machine: Machine) -> None:
    machine.ok("up", "--nodes", "3")
    machine.apply(manifest("mpi"))
    check_for_everybody(machine)
    machine.wait_for_condition("Complete", "trainjob/by-root")
    on = ["by-root-node-0-0", "by-root-node-0-0", "by-root-node-0-1", "by-root-node-0-1"]
    assert ranks(machine, "job/by-root-launcher-0") == [f"rank {n} of 4 on {host} as 0" for n, host in enumerate(on)]


def test_the_same_without_root_says_what_cannot_be(user: Machine) -> None:
    user.ok("up", "--nodes", "3")
    user.apply(manifest("mpi"))
    check_for_everybody(user)
    assert "sshd can let nobody in" in user.ok("get")
    names = [pod["metadata"]["name"] for pod in user.objects("pods")]
    assert not [name for name in names if name.startswith("by-root-launcher")]
