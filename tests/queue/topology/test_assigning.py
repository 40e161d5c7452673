"""What a pod set asks of its topology that can be met nowhere."""

from typing import Any

import pytest

from sidings.queue import snapshot, workloads
from sidings.queue.topology import assigning
from sidings.queue.topology.assigning import Failure, Part
from tests.queue import objects

HOST = "kubernetes.io/hostname"


def outcome(count: int = 4, **request: Any) -> str:
    node = objects.node("n", "9", block="b", rack="r")
    topology = objects.topology("block", "rack", HOST)
    built = snapshot.build([objects.flavor(topologyName="tp"), topology, node])
    workload = workloads.of_object(objects.workload("w", count=count, topologyRequest=request))
    found = assigning.place_workload(built, [Part(workload.pod_sets[0], count, "default")])
    return found.message if isinstance(found, Failure) else ""


def layers(*pairs: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"topology": level, "size": size} for level, size in pairs]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"required": "block", "podSetSliceRequiredTopology": "rack", "podSetSliceSize": 2}, ""),
        (
            {"required": "rack", "podSetSliceRequiredTopology": "rack"},
            "slice topology requested, but slice size not provided",
        ),
        (
            {"required": "rack", "podSetSliceRequiredTopology": "block", "podSetSliceSize": 2},
            "podset slice topology block is above the podset topology rack",
        ),
        (
            {"required": "block", "podSetSliceRequiredTopology": "rack", "podSetSliceSize": 3},
            "pod count 4 is not divisible by slice size 3",
        ),
        ({"required": "block", "podsetSliceRequiredTopologyConstraints": layers(("rack", 4), (HOST, 2))}, ""),
        (
            {"podsetSliceRequiredTopologyConstraints": layers((HOST, 4), ("rack", 2))},
            f"podset slice topology rack is not below the podset slice topology {HOST}",
        ),
        (
            {"podsetSliceRequiredTopologyConstraints": layers(("rack", 4), (HOST, 3))},
            f"podset slice size 4 is not divisible by the slice size 3 of topology {HOST}",
        ),
    ],
)
def test_slices_that_contradict_each_other_are_refused(request_: dict[str, Any], message: str) -> None:
    assert outcome(**request_) == message
