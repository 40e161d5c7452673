import os
import select
import subprocess
from pathlib import Path

import pytest

from sidings.node.container_engine.memory_group import MemoryGroup, directory_of


@pytest.mark.parametrize(
    ("text", "directory"),
    [
        ("4:memory:/libpod/x\n1:cpu:/y\n0::/z\n", "sys/fs/cgroup/memory/libpod/x"),
        ("7:cpuset,memory:/x\n", "sys/fs/cgroup/memory/x"),
        ("0::/machine.slice/libpod-1.scope\n", "sys/fs/cgroup/machine.slice/libpod-1.scope"),
    ],
)
def test_the_group_that_accounts_memory(text: str, directory: str) -> None:
    assert directory_of(text) == directory


def test_kills_are_read_when_the_process_has_ended(tmp_path: Path) -> None:
    child = subprocess.Popen(["sleep", "60"])
    (tmp_path / f"proc/{child.pid}").mkdir(parents=True)
    (tmp_path / f"proc/{child.pid}/cgroup").write_text("0::/box\n")
    (tmp_path / "sys/fs/cgroup/box").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/box/memory.events").write_text("oom 1\noom_kill 1\n")
    group = MemoryGroup(child.pid, tmp_path)
    assert group.ended is not None
    assert not select.select([group.ended], [], [], 0)[0]
    child.kill()
    child.wait()
    assert select.select([group.ended], [], [], 0)[0]
    assert group.kills() == 1
    os.close(group.ended)


def test_a_process_that_had_ended_says_nothing(tmp_path: Path) -> None:
    group = MemoryGroup(1, tmp_path)
    assert group.ended is None
    assert group.kills() == 0
