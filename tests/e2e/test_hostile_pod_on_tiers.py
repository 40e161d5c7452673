"""What ``test_hostile_pod`` shows for full namespaces, where there is less: no more is lost than docs/tiers.md says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sidings.node.sandbox.host import landlock
from tests.e2e import cages
from tests.e2e.test_hostile_pod import Scene, scene

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

SEEN = {"processes_of_others"}
GIVEN_UP = {
    "nested": SEEN,
    "host": SEEN
    | {
        "memory_of_another_pod",
        "abstract_socket_of_another_pod",
        "loopback_of_the_host",
        "sockets_of_the_supervisors",  # they hang up at once: tests/node/sandbox/host
    },
}
"""Attempts that may get something, by tier."""
PLACES = {"nested": cages.podman_default, "host": cages.docker_default}


@pytest.fixture(scope="module", params=list(PLACES))
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Scene]]:
    if request.param == "host" and landlock.version() < 6:
        pytest.skip("this kernel has no Landlock that keeps signals inside")
    with PLACES[request.param](tmp_path_factory.mktemp("cage")) as machine:
        try:
            yield request.param, scene(machine)
        finally:
            machine.sidings("down", "--force")


def test_a_hostile_pod_gets_no_more_than_is_said(played: tuple[str, Scene]) -> None:
    tier, it = played
    assert it.in_hostile_pod().keys() <= GIVEN_UP[tier]


def test_its_victim_still_has_what_it_had(played: tuple[str, Scene]) -> None:
    assert played[1].in_victim(["a_file_by_its_name", "environment_of_others"])
