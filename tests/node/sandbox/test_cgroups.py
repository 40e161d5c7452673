"""Real containers in real control groups, where this machine lets us make them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from sidings.node.limits import enforcement
from sidings.node.limits.enforcement import Enforcement
from sidings.node.limits.requirements import Requirements, groups
from sidings.node.sandbox.cgroups import Group
from tests.node.sandboxes import Sandboxes
from tests.node.waiting import until

MEBIBYTE = 2**20
GREEDY = "import time; hold = bytearray(200 << 20); print('held', flush=True); time.sleep(30)"


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Enforcement]:
    found = enforcement.probe(tmp_path)
    if set(found.parents) < {"cpu", "memory", "pids"}:
        pytest.skip(found.message)
    yield found
    enforcement.forget(tmp_path)
    assert not any(parent.exists() for parent in found.parents.values()), "a control group is left"


def _groups(kernel: Enforcement, cpu: str | None = None, memory: int | None = None) -> tuple[Group, ...]:
    return groups(Requirements(None, Decimal(cpu) if cpu else None, memory), "pod_c", kernel)


def _skip_for_users(sandbox: Sandboxes) -> None:
    if sandbox.as_user:
        pytest.skip("an ordinary user has no control groups here")


async def test_a_container_over_its_memory_is_killed_and_says_so(sandbox: Sandboxes, kernel: Enforcement) -> None:
    _skip_for_users(sandbox)
    pod = await sandbox.start_pod()
    made = _groups(kernel, memory=64 * MEBIBYTE)
    await sandbox.run(pod, "python3", "-c", GREEDY, groups=made)
    ended = await sandbox.ended(pod)
    assert (ended.exit_code, ended.reason) == (137, "OOMKilled")
    assert not any(Path(group.directory).exists() for group in made)


async def test_processes_of_a_container_are_in_its_groups_until_it_ends(
    sandbox: Sandboxes, kernel: Enforcement
) -> None:
    _skip_for_users(sandbox)
    pod = await sandbox.start_pod()
    made = _groups(kernel, cpu="0.5")
    await sandbox.run(pod, "sh", "-c", "sleep 60 & echo up; wait", groups=made)
    await sandbox.said("up", pod)
    for group in made:
        assert len(Path(group.directory, "cgroup.procs").read_text().split()) == 3, "init, shell and sleep"
    await sandbox.client.stop(pod, ["c"], 0)
    await sandbox.ended(pod)
    await until(lambda: not any(Path(group.directory).exists() for group in made))


async def test_a_container_whose_groups_cannot_be_made_does_not_start(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    with pytest.raises(Exception, match="No such file"):
        await sandbox.run(pod, "true", groups=(Group("/sys/fs/cgroup/no/such/c"),))
    code, _ = await sandbox.shell(pod, "exit 3")
    assert code == 3


async def test_where_no_group_counts_the_shim_looks_itself(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    await sandbox.run(pod, "python3", "-c", GREEDY, polled_memory=64 * MEBIBYTE)
    ended = await sandbox.ended(pod)
    assert (ended.exit_code, ended.reason) == (137, "OOMKilled")


async def test_where_no_group_counts_them_too_many_processes_are_the_end(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    await sandbox.run(pod, "sh", "-c", "for i in $(seq 80); do sleep 60 & done; wait", polled_processes=50)
    ended = await sandbox.ended(pod)
    assert (ended.exit_code, ended.reason) == (137, "Error")
    assert ended.message == "killed for having more than 50 processes and threads"


async def test_what_stays_below_the_limit_stays(sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    code, _ = await sandbox.output(pod, "python3", "-c", "import time; time.sleep(1.5)", polled_memory=64 * MEBIBYTE)
    assert code == 0
