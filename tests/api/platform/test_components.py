"""What is on, by the platform's objects."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.api.platform.components import Component, running

ALL = frozenset(Component)


def cluster(**states: str) -> Object:
    return {
        "metadata": {"name": "default-dsc"},
        "spec": {"components": {n: {"managementState": s} for n, s in states.items()}},
    }


def operator(state: str, name: str = "cluster") -> Object:
    return {"metadata": {"name": name}, "spec": {"managementState": state}}


def test_without_any_of_them_everything_is_on() -> None:
    assert running([], [], []) == ALL


@pytest.mark.parametrize(
    ("states", "off"),
    [
        ({"trainer": "Managed", "trainingoperator": "Removed", "kueue": "Removed"}, {"trainingoperator", "kueue"}),
        ({"trainer": "Managed"}, {"trainingoperator", "kueue"}),
        ({"trainingoperator": "Managed", "kueue": "Unmanaged"}, {"trainer"}),
        ({}, {"trainer", "trainingoperator", "kueue"}),
    ],
)
def test_a_cluster_has_on_what_it_names(states: dict[str, str], off: set[str]) -> None:
    assert running([cluster(**states)], [], []) == ALL - {Component(name) for name in off}


def test_an_operator_of_its_own_decides_for_kueue() -> None:
    everything = {"trainer": "Managed", "trainingoperator": "Managed"}
    assert running([cluster(**everything, kueue="Removed")], [], [operator("Managed")]) == ALL
    assert running([cluster(**everything, kueue="Unmanaged")], [], [operator("Removed")]) == ALL - {Component.KUEUE}


@pytest.mark.parametrize(("state", "on"), [("Managed", True), ("Unmanaged", True), ("Force", True), ("Removed", False)])
def test_jobset(state: str, on: bool) -> None:
    assert (Component.JOB_SET in running([], [operator(state)], [])) is on
    assert running([], [operator("Removed", name="other")], []) == ALL
