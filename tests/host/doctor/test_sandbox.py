from __future__ import annotations

from pathlib import Path

import pytest

from sidings.clock import SystemClock
from sidings.host.doctor import sandbox
from sidings.host.doctor.finding import Verdict
from sidings.host.doctor.surroundings import Surroundings
from sidings.node import shutdown
from sidings.node.sandbox.client import SandboxClient
from sidings.node.sandbox.tier import Choice, Kind, Tier


@pytest.mark.parametrize(
    ("surroundings", "remedy"),
    [
        (Surroundings(False), "sudo sidings up"),
        (
            Surroundings(False, restrictions=("kernel.apparmor_restrict_unprivileged_userns",)),
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0   (or as root: sudo sidings up)",
        ),
        (Surroundings(True, restrictions=("user.max_user_namespaces",)), "sysctl -w user.max_user_namespaces=15000"),
        (Surroundings(True, "docker"), "docker run --security-opt seccomp=unconfined"),
        (Surroundings(False, "kubernetes"), "kubectl edit"),
        (Surroundings(True), "docs/tiers.md"),
    ],
)
def test_what_is_refused_has_the_remedy_of_the_place(surroundings: Surroundings, remedy: str) -> None:
    found = sandbox.judge(Tier(Kind.LIBRARY, refused="unshare: Operation not permitted"), surroundings)
    assert found.verdict is Verdict.WARNING and "(tier T2): unshare: Operation not permitted" in found.message
    assert found.remedy.startswith(remedy)


def test_settings_of_the_host_count_inside_a_container_too() -> None:
    found = sandbox.judge(Tier(Kind.LIBRARY), Surroundings(True, "podman", ("user.max_user_namespaces",)))
    assert found.remedy.startswith("podman run")
    assert found.remedy.endswith("(and on the host: sudo sysctl -w user.max_user_namespaces=15000)")


def test_what_is_allowed_names_the_tier() -> None:
    found = sandbox.judge(Tier(Kind.NAMESPACES), Surroundings(True))
    assert (found.verdict, found.remedy) == (Verdict.OK, "") and found.message.endswith("(tier T1), as root")


def test_a_container_that_refuses_a_part_says_which() -> None:
    found = sandbox.judge(
        Tier(Kind.NESTED, refused="mount of proc: Operation not permitted"), Surroundings(True, "podman")
    )
    assert found.verdict is Verdict.WARNING
    assert "(tier T1b): mount of proc" in found.message and "unmask=ALL" in found.remedy


def test_without_namespaces_a_compiler_is_the_first_step() -> None:
    found = sandbox.judge(Tier(Kind.ENVIRONMENT, refused="no C compiler"), Surroundings(False))
    assert found.remedy == "sudo apt-get install gcc libc6-dev   (gives tier T2; for tier T1: sudo sidings up)"


async def test_this_machine_is_tried_and_left_as_it_was(tmp_path: Path) -> None:
    found = await sandbox.examine(tmp_path / "nodes", tmp_path, Surroundings(True), SystemClock())
    assert found.verdict is Verdict.OK
    assert not (tmp_path / "zygote.sock").exists()


async def test_an_engine_that_runs_is_asked_not_disturbed(tmp_path: Path) -> None:
    nodes, scratch = tmp_path / "nodes", tmp_path / "scratch"
    nodes.mkdir()
    running = SandboxClient(nodes, wanted=Choice.NESTED)
    running.start_zygote()
    try:
        found = await sandbox.examine(nodes, scratch, Surroundings(True), SystemClock())
    finally:
        await shutdown.stop_sandboxes(running, SystemClock())
    assert "tier T1b" in found.message
