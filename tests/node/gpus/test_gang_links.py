from collections.abc import Mapping
from typing import Any

import pytest

from sidings.node.gpus.gang_links import SOCKETS_FOLDER, SOCKETS_LIBRARY, Isolation, Links, links


def decide(environment: Mapping[str, str] | None = None, **changed: Any) -> Links:
    facts: dict[str, Any] = {
        "gang": "default_job_0", "pod": "uid", "whole_gpus": 1, "mig": False, "library": True, "boot_id": "boot",
        "isolation": Isolation(),
    }  # fmt: skip
    return links(environment or {}, **(facts | changed))


def test_a_pod_with_its_own_network_gets_the_whole_bundle() -> None:
    found = decide()
    assert found.library
    assert found.environment == {
        "NCCL_HOSTID": "sidings-boot",
        "LD_PRELOAD": SOCKETS_LIBRARY,
        "SIDINGS_NCCL_SOCKETS": SOCKETS_FOLDER,
    }
    assert not found.reason


def test_a_users_preload_comes_after_ours() -> None:
    assert decide({"LD_PRELOAD": "/x.so"}).environment["LD_PRELOAD"] == f"{SOCKETS_LIBRARY}:/x.so"


@pytest.mark.parametrize(
    ("environment", "changed"),
    [
        ({}, {"gang": ""}),
        ({}, {"whole_gpus": 0}),
        ({}, {"mig": True}),
        ({"NCCL_HOSTID": "mine"}, {}),
        ({"NCCL_P2P_DISABLE": "1"}, {}),
        ({"NCCL_CUMEM_ENABLE": "0"}, {"library": False}),
    ],
)
def test_what_needs_no_links_or_has_its_own_is_left_alone(
    environment: dict[str, str], changed: dict[str, object]
) -> None:
    assert decide(environment, **changed) == Links()


def test_without_the_library_the_host_id_is_not_set_alone() -> None:
    """Failure mode 8 of the prototype: NCCL_HOSTID alone makes of a slow job one that crashes."""
    found = decide(library=False)
    assert found.environment == {}
    assert "no C compiler" in found.reason


def test_pods_that_share_a_host_name_are_told_apart_where_the_sockets_cannot_be_carried() -> None:
    found = decide(library=False, isolation=Isolation(host_name=False))
    assert found.environment == {"NCCL_HOSTID": "sidings-uid"}
    assert found.reason


@pytest.mark.parametrize(("host_name", "expected"), [(True, {"NCCL_HOSTID": "sidings-boot"}), (False, {})])
def test_in_the_hosts_network_only_a_host_name_of_ones_own_is_in_the_way(
    host_name: bool, expected: dict[str, str]
) -> None:
    found = decide(isolation=Isolation(network=False, host_name=host_name))
    assert found == Links(expected)
