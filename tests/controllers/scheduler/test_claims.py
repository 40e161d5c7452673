"""What a pod's claims keep it from, in kube-scheduler's words."""

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.controllers.scheduler.choice import choose
from sidings.controllers.scheduler.claims import obstacle
from sidings.controllers.scheduler.snapshot import take
from tests.controllers.pods import node, pod


def mounting(*claims: str) -> Object:
    """A pod with a volume of every claim, and one that is none."""
    made = pod("mounts")
    volumes: list[Any] = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims]
    made["spec"]["volumes"] = [{"name": "empty", "emptyDir": {}}, *volumes]
    return made


def claim(phase: str, **metadata: str) -> Object:
    return {"metadata": {"name": "data", "namespace": "default", **metadata}, "status": {"phase": phase}}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, 'persistentvolumeclaim "data" not found'),
        (claim("Bound", deletionTimestamp="2026-01-01T00:00:00Z"), 'persistentvolumeclaim "data" is being deleted'),
        (claim("Pending"), "pod has unbound immediate PersistentVolumeClaims"),
        (claim("Bound"), ""),
    ],
)
def test_a_claim_must_be_there_and_bound(found: Object | None, expected: str) -> None:
    claims = {("default", "data"): found} if found else {}
    assert obstacle(mounting("data"), claims) == expected


def test_a_claim_that_is_missing_outweighs_one_that_is_unbound() -> None:
    claims = {("default", "data"): claim("Pending")}
    assert obstacle(mounting("data", "other"), claims) == 'persistentvolumeclaim "other" not found'


def test_a_claim_of_the_same_name_elsewhere_is_another() -> None:
    assert obstacle(mounting("data"), {("team", "data"): claim("Bound", namespace="team")})


def test_no_node_is_looked_at_before_the_claims_are_bound() -> None:
    nodes = [node("a"), node("b")]
    refused = choose(mounting("data"), take(nodes, [], claims=[claim("Pending")]))
    assert refused.message == "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    assert choose(mounting("data"), take(nodes, [], claims=[claim("Bound")])).node == "a"
    assert choose(mounting("data"), take([], [])).message == "no nodes available to schedule pods"
