"""Pods without a node: the arithmetic per node, and what opens one.

Cases from reports: kubernetes-sigs/kueue#3210 (the queue knows no nodes), #5243 and #1476 (admitted, and part of the
pods never scheduled).
"""

from __future__ import annotations

from typing import Any

import pytest

from sidings.answers import codes
from sidings.answers.finding import Severity
from sidings.api.resources import JOBS
from tests.answers.why.conftest import Asked

pytestmark = pytest.mark.looptime


async def plain(asked: Asked, name: str, pods: int = 1, cpu: str = "1", **spec: Any) -> None:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container], **spec}}
    await asked.make(JOBS, name, {"parallelism": pods, "completions": pods, "template": template})
    await asked.settle()


async def test_a_pod_larger_than_every_node(asked: Asked) -> None:
    await asked.node("n1")
    await plain(asked, "j", cpu="6")
    found = await asked.root_cause("j")
    assert (found.code, found.severity) == (codes.FITS_NO_NODE, Severity.ERROR)
    assert found.what.endswith("is larger than every one of 1 nodes: n1: 6 CPUs wanted, 4 there")


async def test_a_node_that_others_use(asked: Asked) -> None:
    await asked.node("n1")
    await plain(asked, "holder", cpu="3")
    await plain(asked, "waits", cpu="2")
    found = await asked.root_cause("waits")
    assert (found.code, found.severity) == (codes.NODES_BUSY, Severity.NOTE)
    assert found.what.endswith("waits for a node: n1: 2 CPUs wanted, 1 there")
    assert "Held by team/holder-" in found.cause


async def test_a_job_that_holds_what_it_waits_for(asked: Asked) -> None:
    await asked.node("n1")
    await plain(asked, "gang", pods=3, cpu="2")
    found = await asked.root_cause("gang")
    assert (found.code, found.severity) == (codes.NODES_TOO_FEW, Severity.ERROR)
    assert found.what.endswith("finds no room beside its own peers: n1: 2 CPUs wanted, 0 there")


async def test_no_node_has_the_label(asked: Asked) -> None:
    await asked.node("n1")
    await plain(asked, "j", nodeSelector={"zone": "a"})
    found = await asked.root_cause("j")
    assert (found.code, found.cause) == (codes.NODES_EXCLUDED, "n1: has not the label zone=a")
    await asked.mend(found)
    assert await asked.is_well("j")


async def test_a_taint_is_not_tolerated(asked: Asked) -> None:
    await asked.node("n1", taints=[{"key": "gpu", "value": "only", "effect": "NoSchedule"}])
    await plain(asked, "j")
    found = await asked.root_cause("j")
    assert (found.code, found.cause) == (codes.NODES_EXCLUDED, "n1: untolerated taint gpu=only:NoSchedule")
    await asked.mend(found)
    assert await asked.is_well("j")


async def test_the_node_is_cordoned(asked: Asked) -> None:
    await asked.node("n1", unschedulable=True)
    await plain(asked, "j")
    found = await asked.root_cause("j")
    assert (found.code, found.cause, found.remedy) == (codes.NODES_EXCLUDED, "n1: cordoned", "kubectl uncordon n1")
    await asked.mend(found)
    assert await asked.is_well("j")
