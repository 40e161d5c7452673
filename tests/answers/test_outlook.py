"""When a workload would be admitted, on snapshots built by hand; the snapshot comes back as it was."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sidings.answers import outlook
from sidings.answers.outlook import When
from sidings.queue import snapshot
from sidings.queue.preemption import Config
from sidings.queue.snapshot import Snapshot
from sidings.queue.workloads import Admission, PodSet, PodSetAdmission, Workload

START = datetime(2026, 1, 1, tzinfo=UTC)


def cluster_queue(name: str, quota: str, **spec: object) -> dict[str, object]:
    group = {
        "coveredResources": ["cpu"],
        "flavors": [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": quota}]}],
    }
    spec = {"namespaceSelector": {}, "resourceGroups": [group], **spec}
    return {"kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}


def queues(*objects: dict[str, object]) -> Snapshot:
    others = [
        {"kind": "ResourceFlavor", "metadata": {"name": "default"}},
        {"kind": "Namespace", "metadata": {"name": "team"}},
    ]
    return snapshot.build([*others, *objects])


def workload(name: str, cpus: int, *, at: int = 0, priority: int = 0) -> Workload:
    """``at``: seconds after the start when it came."""
    pods = (PodSet("main", cpus, None, {"cpu": 1000}, {"containers": []}, None),)
    return Workload("team", name, name, "", "lq", priority, START + timedelta(seconds=at), pods)


def hold(into: Snapshot, workload: Workload, queue: str = "cq") -> None:
    count = workload.pod_sets[0].count
    admission = Admission(queue, (PodSetAdmission("main", count, {"cpu": "default"}, {"cpu": count * 1000}),))
    into.add(replace(workload, admission=admission, reserved_at=workload.queued_at))


def names(workloads: object) -> list[str]:
    return [w.name for w in workloads]  # type: ignore[attr-defined]


def test_now_where_there_is_room() -> None:
    seen = outlook.of(queues(cluster_queue("cq", "4")), workload("w", 4), "cq", {}, Config())
    assert seen.when is When.NOW


def test_never_where_even_an_empty_queue_is_too_small() -> None:
    around = queues(cluster_queue("cq", "4"))
    hold(around, workload("a", 4))
    assert outlook.of(around, workload("w", 5), "cq", {}, Config()).when is When.NEVER


def test_later_names_those_that_have_to_end_the_oldest_first() -> None:
    around = queues(cluster_queue("cq", "6"))
    for number, name in enumerate(("a", "b", "c")):
        hold(around, workload(name, 2, at=number))
    seen = outlook.of(around, workload("w", 4, at=9), "cq", {}, Config())
    assert (seen.when, names(seen.first)) == (When.LATER, ["a", "b"])
    assert around.queues["cq"].usage == {("default", "cpu"): 6000}
    assert sorted(around.queues["cq"].workloads) == ["team/a", "team/b", "team/c"]


def test_who_is_ahead_is_admitted_first() -> None:
    around = queues(cluster_queue("cq", "4"))
    for number, name in enumerate(("a", "b")):
        hold(around, workload(name, 2, at=number))
    waiting = {"cq": [workload("ahead", 2, at=5), workload("behind", 2, at=20)]}
    seen = outlook.of(around, workload("w", 2, at=9), "cq", waiting, Config())
    assert (seen.when, names(seen.first), names(seen.ahead)) == (When.LATER, ["a", "b"], ["ahead"])


def test_one_that_is_too_large_blocks_nobody_in_a_queue_of_best_effort() -> None:
    around = queues(cluster_queue("cq", "4"))
    waiting = {"cq": [workload("huge", 9)]}
    assert outlook.of(around, workload("w", 2, at=9), "cq", waiting, Config()).when is When.NOW
    strict = queues(cluster_queue("cq", "4", queueingStrategy="StrictFIFO"))
    assert outlook.of(strict, workload("w", 2, at=9), "cq", waiting, Config()).when is When.UNKNOWN


def test_a_more_important_one_gets_room_by_preemption() -> None:
    around = queues(cluster_queue("cq", "4", preemption={"withinClusterQueue": "LowerPriority"}))
    hold(around, workload("low", 4))
    seen = outlook.of(around, workload("w", 2, at=9, priority=5), "cq", {}, Config())
    assert (seen.when, names(seen.first)) == (When.BY_PREEMPTION, ["low"])


def test_quota_is_borrowed_from_a_cohort() -> None:
    around = queues(cluster_queue("cq", "2", cohortName="lab"), cluster_queue("rich", "4", cohortName="lab"))
    hold(around, workload("a", 4), "rich")
    seen = outlook.of(around, workload("w", 5, at=9), "cq", {}, Config())
    assert (seen.when, names(seen.first)) == (When.LATER, ["a"])


def test_a_long_queue_is_looked_through() -> None:
    around = queues(cluster_queue("cq", "4"))
    hold(around, workload("a", 4))
    waiting = {"cq": [workload(f"w{number:04}", 1, at=number) for number in range(90)]}
    seen = outlook.of(around, workload("last", 1, at=90), "cq", waiting, Config())
    assert (seen.when, len(seen.ahead)) == (When.LATER, 90)
    assert names(seen.first) == ["a", *(f"w{number:04}" for number in range(87))]


def test_a_queue_that_is_too_long_is_only_counted() -> None:
    around = queues(cluster_queue("cq", "4"))
    hold(around, workload("a", 4))
    waiting = {"cq": [workload(f"w{number:04}", 1, at=number) for number in range(150)]}
    seen = outlook.of(around, workload("last", 1, at=150), "cq", waiting, Config())
    assert (seen.when, len(seen.ahead), seen.first) == (When.UNKNOWN, 150, ())


def test_who_has_used_less_is_ahead_where_past_use_decides() -> None:
    around = queues(cluster_queue("cq", "4", admissionScope={"admissionMode": "UsageBasedAdmissionFairSharing"}))
    around.queues["cq"].burden_of = lambda workload: {"busy": 2.0, "lq": 1.0}[workload.local_queue]
    hold(around, workload("runs", 4))
    mine, older = workload("w", 4, at=9), replace(workload("older", 4, at=1), local_queue="busy")
    assert names(outlook.of(around, mine, "cq", {"cq": [older]}, Config()).ahead) == []
    assert names(outlook.of(around, older, "cq", {"cq": [mine]}, Config()).ahead) == ["w"]
