from __future__ import annotations

from pathlib import Path

import pytest

from sidings.clock import SystemClock
from sidings.host.doctor import sandbox
from sidings.host.doctor.finding import Verdict
from sidings.host.doctor.surroundings import Surroundings


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
    found = sandbox.judge("unshare: Operation not permitted", surroundings)
    assert found.verdict is Verdict.PROBLEM and "unshare: Operation not permitted" in found.message
    assert found.remedy.startswith(remedy)


def test_settings_of_the_host_count_inside_a_container_too() -> None:
    found = sandbox.judge("unshare", Surroundings(True, "podman", ("user.max_user_namespaces",)))
    assert found.remedy.startswith("podman run")
    assert found.remedy.endswith("(and on the host: sudo sysctl -w user.max_user_namespaces=15000)")


def test_what_is_allowed_names_the_tier() -> None:
    assert "T1, full namespaces, as root" in sandbox.judge("", Surroundings(True)).message


async def test_this_machine_is_tried_and_left_as_it_was(tmp_path: Path) -> None:
    found = await sandbox.examine(tmp_path, Surroundings(True), SystemClock())
    assert found.verdict is Verdict.OK
    assert not (tmp_path / "zygote.sock").exists()
