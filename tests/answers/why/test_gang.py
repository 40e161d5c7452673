"""Pods that were refused, and ranks that wait for others."""

from __future__ import annotations

import pytest

from sidings.answers import codes
from sidings.answers.finding import Severity
from sidings.api.resources import JOBS, RESOURCE_QUOTAS
from tests.answers.why.conftest import Asked

pytestmark = pytest.mark.looptime


async def test_the_service_account_is_missing(asked: Asked) -> None:
    spec = {"restartPolicy": "Never", "serviceAccountName": "trainer", "containers": [{"name": "c", "image": "i"}]}
    await asked.make(JOBS, "j", {"template": {"spec": spec}})
    await asked.settle(20)
    found = await asked.root_cause("j")
    assert (found.code, found.what) == (codes.PODS_REFUSED, "1 of its pods cannot be created")
    assert found.remedy == "kubectl create serviceaccount trainer -n team"
    await asked.mend(found)
    await asked.settle(60)
    assert await asked.is_well("j")


async def test_a_resource_quota_refuses_pods(asked: Asked) -> None:
    await asked.make(RESOURCE_QUOTAS, "small", {"hard": {"pods": "1"}})
    await asked.settle()
    await asked.job("j", pods=2, queue="")
    await asked.settle(20)
    found = await asked.root_cause("j")
    assert (found.code, found.what) == (codes.PODS_REFUSED, "1 of its pods cannot be created")
    assert "exceeded quota: small" in found.cause


async def test_the_ranks_that_others_wait_for_are_named(asked: Asked) -> None:
    await asked.node("n1")
    await asked.job("j", pods=2, queue="")
    await asked.settle()
    first, second = await asked.pods("j")
    running = {"name": "c", "restartCount": 0, "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}
    await asked.report(first, {"phase": "Running", "containerStatuses": [running]})
    [found] = (await asked.why("j")).findings
    assert (found.code, found.severity) == (codes.RANKS_MISSING, Severity.NOTE)
    assert found.what == f"1 of its pods run and wait for 1 more: {second['metadata']['name']}"
