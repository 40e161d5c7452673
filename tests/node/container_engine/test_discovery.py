import os
from pathlib import Path

import pytest

from sidings.node.container_engine import discovery
from sidings.node.errors import EngineUnavailable
from sidings.node.sandbox.tier import Kind, Tier
from tests.node.container_engine.engines import scripted


def test_an_engine_is_found_on_the_users_path_with_what_steers_it(tmp_path: Path) -> None:
    scripted(tmp_path, "")
    environ = {"PATH": str(tmp_path), "CONTAINERS_CONF": "/c", "AWS_SECRET_ACCESS_KEY": "x"}
    engine = discovery.installed("podman", environ, tmp_path)
    assert engine is not None
    assert engine.program == str(tmp_path / "podman")
    assert engine.environment == {"PATH": str(tmp_path), "CONTAINERS_CONF": "/c"}
    assert engine.open_files > 0


def test_an_engine_that_is_not_installed_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="podman is not installed") as refused:
        discovery.required("podman", {"PATH": str(tmp_path)}, tmp_path)
    assert refused.value.remedy.startswith("sudo apt-get install podman")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may")
def test_an_ordinary_user_is_refused(tmp_path: Path) -> None:
    scripted(tmp_path, "")
    with pytest.raises(EngineUnavailable, match="needs root"):
        discovery.required("podman", {"PATH": str(tmp_path)}, tmp_path)


def test_control_groups_without_systemd(tmp_path: Path) -> None:
    assert discovery.podman_flags(tmp_path, {}) == ("--cgroup-manager", "cgroupfs")
    assert discovery.podman_flags(tmp_path, {"CONTAINERS_CONF": "/c"}) == ()
    (tmp_path / "run/systemd/system").mkdir(parents=True)
    assert discovery.podman_flags(tmp_path, {}) == ()


def test_pods_must_have_namespaces_that_containers_can_join(tmp_path: Path) -> None:
    engine = scripted(tmp_path, "")
    discovery.refuse_tier(engine, Tier(Kind.NAMESPACES))
    with pytest.raises(EngineUnavailable, match="podman cannot run pods on this machine"):
        discovery.refuse_tier(engine, Tier(Kind.LIBRARY))


async def test_versions(tmp_path: Path) -> None:
    engine = scripted(tmp_path, "echo '\"4.3.1\"'")
    assert await discovery.version(engine) == "4.3.1"


async def test_an_engine_that_does_not_answer(tmp_path: Path) -> None:
    engine = scripted(tmp_path, "echo 'Cannot connect to the Docker daemon' >&2; exit 1", "docker")
    with pytest.raises(EngineUnavailable, match="docker does not answer") as refused:
        await discovery.version(engine)
    assert refused.value.cause == "Cannot connect to the Docker daemon"
    assert refused.value.remedy == "docker info"
