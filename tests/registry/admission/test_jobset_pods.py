"""The priority label of a JobSet's pods."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.resources import PODS


async def test_pods_of_a_jobset_carry_their_priority(api, pod: Object) -> None:
    pod["metadata"]["labels"] = {"jobset.sigs.k8s.io/jobset-name": "js"}
    created = await api.create(PODS, pod)
    assert created["metadata"]["labels"]["jobset.sigs.k8s.io/priority"] == "0"


async def test_other_pods_do_not(api, pod: Object) -> None:
    pod["metadata"]["labels"] = {"app": "x"}
    created = await api.create(PODS, pod)
    assert created["metadata"]["labels"] == {"app": "x"}
