from __future__ import annotations

import os
from pathlib import Path

import pytest

from sidings.node.pod_security import PodSecurity, in_node_network
from sidings.node.sandbox.credentials import Credentials
from sidings.node.sandbox.tier import Kind, Tier
from sidings.node.security import Means
from sidings.node.volumes.mounting import Mounted, PodVolumes
from tests.node.pods import pod

FULL, HOST = Tier(Kind.NAMESPACES), Tier(Kind.ENVIRONMENT)
GROUP = os.getgid() if os.geteuid() else 3000


def test_only_root_of_the_machine_gives_groups_and_owners(tmp_path: Path) -> None:
    made = PodSecurity(pod(), tmp_path, tmp_path)
    root = os.geteuid() == 0
    assert made.means(FULL, os.getpid()) == Means(True, root, os.geteuid(), True)
    assert made.means(FULL, None) == Means(True, False, os.geteuid(), True)
    assert made.means(HOST, os.getpid()) == Means(False, False, os.geteuid(), False)


def test_directories_of_the_machine_keep_their_group(tmp_path: Path) -> None:
    own, claims, foreign = (tmp_path / name for name in ("pod", "claims", "foreign"))
    for folder in (own, claims, foreign):
        folder.mkdir(mode=0o700)
    volumes = PodVolumes({folder.name: Mounted(folder) for folder in (own, claims, foreign)})
    made = PodSecurity(pod(securityContext={"fsGroup": GROUP}), own, claims)
    made.share(volumes, Means(groups=False))
    assert own.stat().st_mode & 0o777 == 0o700, "an ordinary user's files are his already"
    made.share(volumes, Means())
    assert [folder.stat().st_mode & 0o7777 for folder in (own, claims, foreign)] == [0o2770, 0o2770, 0o700]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root of the machine can give files to others")
def test_a_container_owns_its_private_directories(tmp_path: Path) -> None:
    for part in ("home", "work", "cwd", "tmp"):
        (tmp_path / part).mkdir()
    PodSecurity(pod(), tmp_path, tmp_path).give(tmp_path, Credentials(user=1000, group=2000), Means())
    owners = {part: ((tmp_path / part).stat().st_uid, (tmp_path / part).stat().st_gid) for part in ("home", "tmp")}
    assert owners == {"home": (1000, 2000), "tmp": (0, 0)}


def test_the_nodes_network_is_there_where_nodes_have_one() -> None:
    assert in_node_network(pod(hostNetwork=True), FULL)
    assert not in_node_network(pod(hostNetwork=True), HOST)
    assert not in_node_network(pod(), FULL)
