from datetime import timedelta
from typing import Any

import pytest

from sidings.api import timestamps
from sidings.queue import eligibility
from tests.queue.objects import BEGIN, workload


def with_condition(type_: str, status: str) -> dict[str, Any]:
    return {"conditions": [{"type": type_, "status": status}]}


@pytest.mark.parametrize(
    ("spec", "status", "waits"),
    [
        ({}, {}, True),
        ({"active": False}, {}, False),
        ({}, with_condition("Finished", "True"), False),
        ({}, with_condition("Requeued", "False"), False),
        ({}, with_condition("Requeued", "True"), True),
        ({}, {"requeueState": {"requeueAt": timestamps.to_text(BEGIN + timedelta(seconds=1))}}, False),
        ({}, {"requeueState": {"requeueAt": timestamps.to_text(BEGIN)}}, True),
    ],
)
def test_who_waits(spec: dict[str, Any], status: dict[str, Any], waits: bool) -> None:
    obj = workload("w")
    obj["spec"].update(spec)
    obj["status"] = status
    assert eligibility.may_wait(obj, BEGIN) is waits


@pytest.mark.parametrize(("policy", "holds"), [(None, False), ("None", False), ("Hold", True), ("HoldAndDrain", True)])
def test_a_stopped_local_queue_holds(policy: str | None, holds: bool) -> None:
    assert eligibility.holds({"spec": {"clusterQueue": "q", "stopPolicy": policy}}) is holds


def test_who_is_gated_waits_in_no_queue() -> None:
    obj = workload("w")
    obj["metadata"]["annotations"] = {"kueue.x-k8s.io/admission-gated-by": "example.com/quota-office"}
    assert not eligibility.may_wait(obj, BEGIN)
    obj["metadata"]["annotations"] = {"kueue.x-k8s.io/admission-gated-by": ""}
    assert eligibility.may_wait(obj, BEGIN)
