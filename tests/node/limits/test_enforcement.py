"""Hierarchies as directories of the test: version 1 needs no more than that, version 2 a kernel for the rest."""

from __future__ import annotations

import os
from pathlib import Path

from sidings.node.limits import enforcement


def _mounts(*lines: str) -> str:
    return "".join(f"30 20 0:26 {line} - {kind}\n" for line, kind in (line.split("|") for line in lines))


def test_version_1_below_the_agents_own_groups(tmp_path: Path) -> None:
    for name in ("memory/mine", "cpu"):
        (tmp_path / name).mkdir(parents=True)
    mounts = _mounts(
        f"/ {tmp_path}/memory rw|cgroup cgroup rw,memory",
        f"/ {tmp_path}/cpu rw|cgroup cgroup rw,cpu,cpuacct",
        f"/ {tmp_path}/unified rw|cgroup2 cgroup rw",
    )
    found = enforcement.probe(tmp_path, mounts, "4:memory:/mine\n1:cpu,cpuacct:/\n0::/\n")
    name = found.parents["cpu"].name
    assert found.reason == "CgroupsV1" and "cpu, memory" in found.message
    assert found.parents == {"memory": tmp_path / "memory/mine" / name, "cpu": tmp_path / "cpu" / name}
    assert all(parent.is_dir() for parent in found.parents.values())
    (found.parents["cpu"] / "uid-1_c").mkdir()
    (found.parents["cpu"] / "uid-2_c").mkdir()
    enforcement.forget(tmp_path, "uid-1")
    assert [path.name for path in found.parents["cpu"].iterdir()] == ["uid-2_c"]
    enforcement.forget(tmp_path)
    assert not any(tmp_path.glob("**/sidings-*")) and not any(tmp_path.glob("cgroups.json*"))
    enforcement.forget(tmp_path)


def test_pods_together_weigh_as_much_as_the_machine_has_cores(tmp_path: Path) -> None:
    parent = tmp_path / "cpu" / enforcement.group_name(tmp_path)
    parent.mkdir(parents=True)
    (parent / "cpu.shares").write_text("1024\n")
    enforcement.probe(tmp_path, _mounts(f"/ {tmp_path}/cpu rw|cgroup cgroup rw,cpu"), "1:cpu:/\n")
    assert int((parent / "cpu.shares").read_text()) == 1024 * (os.cpu_count() or 1)


def test_groups_of_an_agent_in_another_session_are_removed_too(tmp_path: Path) -> None:
    mounts = _mounts(f"/ {tmp_path} rw|cgroup cgroup rw,memory")
    for session in ("one", "two"):
        (tmp_path / session).mkdir()
        enforcement.probe(tmp_path, mounts, f"4:memory:/{session}\n")
    assert len(list(tmp_path.glob("*/sidings-*"))) == 2
    enforcement.forget(tmp_path)
    assert not list(tmp_path.glob("*/sidings-*"))


def test_inside_a_container_the_mount_shows_a_part_of_the_hierarchy(tmp_path: Path) -> None:
    mounts = _mounts(f"/docker/abc {tmp_path} rw|cgroup cgroup rw,memory")
    (tmp_path / "job").mkdir()
    found = enforcement.probe(tmp_path, mounts, "4:memory:/docker/abc/job\n")
    assert found.parents["memory"].parent == tmp_path / "job"


def test_what_is_refused_is_said(tmp_path: Path) -> None:
    nothing = enforcement.probe(tmp_path, "", "0::/\n")
    assert (nothing.reason, nothing.parents) == ("Polled", {}) and "no control groups are mounted" in nothing.message
    missing = enforcement.probe(tmp_path, _mounts(f"/ {tmp_path}/gone rw|cgroup cgroup rw,memory"), "4:memory:/\n")
    assert missing.reason == "Polled" and "No such file or directory" in missing.message


def test_version_2_where_the_controllers_may_not_be_handed_down(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    (tmp_path / "cgroup.subtree_control").mkdir()  # not writable, as EBUSY is with processes in the group
    found = enforcement.probe(tmp_path, _mounts(f"/ {tmp_path} rw|cgroup2 cgroup rw"), "0::/\n")
    assert found.reason == "Polled" and "cgroup.subtree_control" in found.message


def test_version_2_without_controllers_is_polled(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("\n")
    found = enforcement.probe(tmp_path, _mounts(f"/ {tmp_path} rw|cgroup2 cgroup rw"), "0::/\n")
    assert found.reason == "Polled" and "no controllers are handed down" in found.message


def test_version_2_below_the_root_where_the_agents_own_group_has_processes(tmp_path: Path) -> None:
    for group in (tmp_path, tmp_path / "session"):
        group.mkdir(exist_ok=True)
        (group / "cgroup.controllers").write_text("cpu io memory\n")
    (tmp_path / "cgroup.subtree_control").write_text("cpu io memory\n")
    (tmp_path / "session/cgroup.subtree_control").mkdir()
    found = enforcement.probe(tmp_path, _mounts(f"/ {tmp_path} rw|cgroup2 cgroup rw"), "0::/session\n")
    [parent] = set(found.parents.values())
    assert (found.version, set(found.parents), parent.parent) == (2, {"cpu", "memory"}, tmp_path)
    assert (parent / "cgroup.subtree_control").read_text() == "+cpu +memory"
