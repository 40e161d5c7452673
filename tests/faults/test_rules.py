"""What the rules may complain about, and what they may not."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sidings.api.job.labels import COMPLETION_INDEX
from sidings.api.jobset import labels
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS, JOBS, PODS, Resource
from sidings.client.interface import WatchEvent
from tests.faults.ledger import Ledger, Violation
from tests.faults.rules import RULES


class History:
    """A client whose watches tell what has happened, and end."""

    def __init__(self, *events: WatchEvent) -> None:
        for number, event in enumerate(events):
            event.object["metadata"]["resourceVersion"] = str(number)
        self._events = events

    async def watch(self, resource: Resource, *_: Any, **__: Any) -> AsyncIterator[WatchEvent]:
        for event in self._events:
            if event.object["kind"] == resource.kind:
                yield event


def jobset(**status: Any) -> Object:
    groups = [{"name": "a", "replicas": 1}]
    spec = {"replicatedJobs": groups, "successPolicy": {"operator": "All"}, "failurePolicy": {"maxRestarts": 1}}
    metadata = {"name": "js", "namespace": "ns", "uid": "set"}
    return {"kind": JOB_SETS.kind, "metadata": metadata, "spec": spec, "status": status}


def job(end: str) -> Object:
    metadata = {
        "name": "js-a-0",
        "namespace": "ns",
        "uid": "job",
        "labels": {labels.RESTART_ATTEMPT: "0", labels.REPLICATED_JOB_NAME: "a"},
        "ownerReferences": [{"kind": JOB_SETS.kind, "name": "js", "uid": "set", "controller": True}],
    }
    return {"kind": JOBS.kind, "metadata": metadata, "spec": {}, "status": {"conditions": ended(end)}}


def ended(type_: str) -> list[Object]:
    return [{"type": type_, "status": "True"}]


async def judge(end: str, outcome: Object) -> None:
    """A Job ends so and goes, and then its JobSet decides on ``outcome``."""
    ledger = Ledger()
    gone = [WatchEvent("ADDED", job(end)), WatchEvent("DELETED", job(end))]
    history = [WatchEvent("ADDED", jobset()), *gone, WatchEvent("MODIFIED", outcome)]
    await ledger.follow(History(*history))  # type: ignore[arg-type]
    ledger.check(RULES)


async def test_a_jobset_may_act_upon_a_job_that_has_gone_since_it_was_read() -> None:
    await judge("Failed", jobset(restarts=1, restartsCountTowardsMax=1))
    await judge("Complete", jobset(conditions=ended("Completed")))


async def test_how_that_job_ended_still_counts() -> None:
    with pytest.raises(Violation, match="restarted without a failed Job"):
        await judge("Complete", jobset(restarts=1, restartsCountTowardsMax=1))
    with pytest.raises(Violation, match="only 0 of 1 Jobs are complete"):
        await judge("Failed", jobset(conditions=ended("Completed")))


def owned(kind: str, uid: str, owner_kind: str, owner_uid: str) -> Object:
    """A Job ``js-a-0`` or its pod of index 0."""
    owner = {"kind": owner_kind, "name": "js" if kind == JOBS.kind else "js-a-0", "uid": owner_uid, "controller": True}
    metadata = {"name": f"js-a-0{uid}", "namespace": "ns", "uid": uid, "ownerReferences": [owner]}
    metadata["annotations"] = {COMPLETION_INDEX: "0"}
    metadata["labels"] = {labels.RESTART_ATTEMPT: "0", labels.REPLICATED_JOB_NAME: "a"}
    return {"kind": kind, "metadata": metadata, "spec": {}, "status": {}}


async def replaced(next_owner: str) -> None:
    """A Job goes in the background before its pod does, and another Job has made one by then."""
    first, second = owned(JOBS.kind, "1", JOB_SETS.kind, "set"), owned(JOBS.kind, "2", JOB_SETS.kind, next_owner)
    pods = [owned(PODS.kind, f"p{uid}", JOBS.kind, uid) for uid in "12"]
    added = [WatchEvent("ADDED", obj) for obj in (first, pods[0])]
    rest = [WatchEvent("ADDED", obj) for obj in (second, pods[1])]
    ledger = Ledger()
    gone = WatchEvent("DELETED", owned(JOBS.kind, "1", JOB_SETS.kind, "set"))
    await ledger.follow(History(*added, gone, *rest))  # type: ignore[arg-type]
    ledger.check(RULES)


async def test_a_pod_that_the_collector_had_not_seen_may_outlive_the_jobset_of_its_job() -> None:
    await replaced(next_owner="another")


async def test_a_jobset_itself_waits_for_the_pods_of_the_attempt_before() -> None:
    with pytest.raises(Violation, match="a pod of an earlier attempt still lives"):
        await replaced(next_owner="set")
