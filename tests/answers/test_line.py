"""Who is ahead, on objects that nobody has looked at, on views, and on both at once: the same order."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sidings.answers.line import Line
from sidings.queue import workloads
from tests.answers.test_outlook import cluster_queue, queues

CONTAINERS = [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]


def waiting(name: str, *, at: int, priority: int | None = None) -> dict[str, Any]:
    """A Workload object, queued ``at`` seconds after others."""
    spec: dict[str, Any] = {"queueName": "lq", "podSets": [{"name": "main", "count": 1, "template": {"spec": {}}}]}
    spec["podSets"][0]["template"]["spec"] = {"containers": CONTAINERS}
    if priority is not None:
        spec["priority"] = priority
    created = f"2026-01-01T00:00:{at:02}Z"
    return {"metadata": {"namespace": "team", "name": name, "uid": name, "creationTimestamp": created}, "spec": spec}


ENTRIES = [
    waiting("mine", at=5),
    waiting("early", at=1),
    waiting("late", at=9, priority=0),
    waiting("urgent", at=9, priority=7),
    waiting("minor", at=0, priority=-1),
    waiting("a-tie", at=5),
    waiting("z-tie", at=5),
]


@pytest.mark.parametrize("seed", range(5))
def test_priority_then_age_then_uid_whatever_the_entries_are(seed: int) -> None:
    chance = random.Random(seed)
    some = chance.sample(ENTRIES, len(ENTRIES))
    line = Line(entry if chance.random() < 0.5 else workloads.of_object(entry) for entry in some)
    mine = workloads.of_object(ENTRIES[0])
    queue = queues(cluster_queue("cq", "1")).queues["cq"]
    assert [w.name for w in line.ahead_of(mine, queue)] == ["urgent", "early", "a-tie"]


def test_what_local_queues_have_used_comes_first_where_it_decides() -> None:
    scope = {"admissionMode": "UsageBasedAdmissionFairSharing"}
    queue = queues(cluster_queue("cq", "1", admissionScope=scope)).queues["cq"]
    queue.burden_of = lambda workload: 1.0 if workload.name in ("early", "urgent") else 0.0
    ahead = Line(ENTRIES).ahead_of(workloads.of_object(ENTRIES[0]), queue)
    assert [w.name for w in ahead] == ["a-tie"]


def test_views_are_made_of_those_that_are_taken_out() -> None:
    broken = {"metadata": {"namespace": "team", "name": "no-spec"}}
    line = Line([*ENTRIES, broken])
    assert (len(line), line[1].name, [w.name for w in line[2:4]]) == (8, "early", ["late", "urgent"])
    assert line[1] is line[1]
    with pytest.raises(KeyError):
        line[-1]


def test_a_line_is_not_copied() -> None:
    line = Line(ENTRIES)
    assert Line.of(line) is line
    assert len(Line.of([workloads.of_object(ENTRIES[0])])) == 1
