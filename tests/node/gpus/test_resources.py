"""Layouts of MIG and what a node hands out in each."""

from __future__ import annotations

import pytest

from sidings.node.gpus.in_memory import h200, h200_in_mig_mode
from sidings.node.gpus.resources import by_resource, strategy, wanted
from sidings.node.gpus.source import Device, units


@pytest.mark.parametrize(
    ("devices", "word", "counts"),
    [
        ([], "none", {}),
        ([h200(0), h200(1)], "none", {"nvidia.com/gpu": 2}),
        ([h200_in_mig_mode(0, "1g.18gb", "1g.18gb"), h200_in_mig_mode(1, "1g.18gb")], "single", {"nvidia.com/gpu": 3}),
        ([h200_in_mig_mode(0), h200_in_mig_mode(1, "1g.18gb")], "single", {"nvidia.com/gpu": 1}),
        ([h200(0), h200_in_mig_mode(1, "1g.18gb")], "mixed", {"nvidia.com/gpu": 1, "nvidia.com/mig-1g.18gb": 1}),
        (
            [h200_in_mig_mode(0, "3g.71gb", "1g.18gb", "1g.18gb", "1g.18gb+me")],
            "mixed",
            {"nvidia.com/mig-3g.71gb": 1, "nvidia.com/mig-1g.18gb": 2, "nvidia.com/mig-1g.18gb.me": 1},
        ),
    ],
)
def test_the_layout_says_what_is_handed_out(devices: list[Device], word: str, counts: dict[str, int]) -> None:
    found = units(devices)
    assert strategy(found) == word
    assert {name: len(alike) for name, alike in by_resource(found).items()} == counts


def test_a_container_asks_for_gpus_by_their_names() -> None:
    limits = {"cpu": "1", "nvidia.com/gpu": "0", "nvidia.com/mig-1g.18gb": "2", "nvidia.com/vgpu": "1"}
    assert wanted({"resources": {"limits": limits}}) == {"nvidia.com/mig-1g.18gb": 2}
    assert wanted({}) == {}
