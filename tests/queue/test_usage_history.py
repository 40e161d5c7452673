"""Past use decides in simulations, replays and looks ahead as it does in an engine."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from sidings.api.objects import Object
from sidings.queue import replay, snapshot, workloads
from sidings.queue.admission_fair_sharing import USAGE_BASED, Rules
from sidings.queue.usage_history import UsageHistory
from sidings.queue.workloads import Workload
from tests.queue.objects import BEGIN, admitted, cluster_queue, flavor, workload

RULES = Rules(half_life=600.0, sampling_interval=60.0)
SCOPE = {"admissionScope": {"admissionMode": USAGE_BASED}}


def local_queue(name: str, weight: str = "1", consumed: str = "") -> Object:
    known = {"consumedResources": {"cpu": consumed}, "lastUpdate": "2026-01-01T00:00:00Z"}
    status: dict[str, Any] = {"fairSharing": {"admissionFairSharingStatus": known}} if consumed else {}
    return {
        "kind": "LocalQueue",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"clusterQueue": "q", "fairSharing": {"weight": weight}},
        "status": status,
    }


def holder(name: str, queue: str, cpu: str = "4") -> Workload:
    held = workloads.of_object(admitted(workload(name, cpu, queue=queue), "q"))
    return replace(held, local_queue=queue)


def test_what_the_status_says_counts_by_the_weight_of_the_queue() -> None:
    history = UsageHistory([local_queue("a", consumed="8"), local_queue("b", "4", "8")], RULES, BEGIN)
    assert history.burden_of(holder("w", "a")) == 8.0
    assert history.burden_of(holder("w", "b")) == 2.0
    assert history.burden_of(holder("w", "unknown")) == 0.0


def test_an_admission_counts_at_once_and_is_forgotten_by_half_in_a_half_life() -> None:
    history = UsageHistory([local_queue("a")], RULES, BEGIN)
    one = holder("w", "a")
    history.admitted(one)
    assert 0 < history.burden_of(one) < 4
    history.sample([one], BEGIN + timedelta(seconds=600))
    assert history.burden_of(one) == 2.0
    history.sample([], BEGIN + timedelta(seconds=1200))
    assert history.burden_of(one) == 1.0


def test_it_decides_only_where_a_queue_asks_for_it() -> None:
    history = UsageHistory([local_queue("a", consumed="8")], RULES, BEGIN)
    built = snapshot.build([flavor(), cluster_queue("asks", **SCOPE), cluster_queue("does not")])
    history.order(built)
    burdens = {name: queue.burden_of(holder("w", "a")) for name, queue in built.queues.items()}
    assert burdens == {"asks": 8.0, "does not": 0.0}


def test_a_replay_goes_by_what_the_statuses_say() -> None:
    case = {
        "name": "the queue that has used less goes first",
        "now": "2026-01-01T01:00:00Z",
        "cycles": 1,
        "objects": [
            flavor(),
            {"kind": "Namespace", "metadata": {"name": "default"}},
            cluster_queue("q", **SCOPE),
            local_queue("busy", consumed="8"),
            local_queue("idle"),
            workload("old", "4", queue="busy", age=60),
            workload("new", "4", queue="idle"),
        ],
        "expect": {},
    }
    found = replay.play(case)["workloads"]
    assert {name: state["status"] for name, state in found.items()} == {"old": "new", "new": "admitted"}
