"""What a node's object keeps and loses when its agent announces it again."""

from __future__ import annotations

from sidings.node.registration import label_changes, without_gone_devices


def test_labels_of_gpus_that_are_gone_go_and_those_of_others_stay() -> None:
    gone = {"nvidia.com/gpu.product": "X", "sidings.dev/simulated-gpus": "true"}
    known = {"metadata": {"labels": {**gone, "team": "a", "nvidia.com/vgpu.host": "b", "os": "1"}}}
    wanted = {"metadata": {"labels": {"os": "2"}}}
    assert label_changes(known, wanted) == {"os": "2", **dict.fromkeys(gone)}
    assert label_changes(wanted, wanted) == {}


def test_devices_that_are_gone_leave_the_node_and_resources_of_others_stay() -> None:
    known = {
        "status": {field: {"nvidia.com/gpu": "2", "example.com/dongle": "4"} for field in ("capacity", "allocatable")}
    }
    status = {"capacity": {"cpu": "8", "nvidia.com/mig-1g.18gb": "7"}, "allocatable": {"cpu": "8"}, "conditions": []}
    assert without_gone_devices(known, status) == {
        "capacity": {"cpu": "8", "nvidia.com/mig-1g.18gb": "7", "nvidia.com/gpu": None},
        "allocatable": {"cpu": "8", "nvidia.com/gpu": None},
        "conditions": [],
    }


def test_a_node_that_never_had_any_is_patched_as_it_is() -> None:
    status = {"capacity": {"cpu": "8"}, "allocatable": {"cpu": "8"}}
    assert without_gone_devices({}, status) == status
