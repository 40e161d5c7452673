from datetime import timedelta

import pytest

from sidings.controllers.jobset import ttl
from tests.controllers.jobset.cluster import NOW, Cluster, make_jobset

ALL = ("js-a-0", "js-b-0", "js-b-1", "js-b-2")


@pytest.mark.parametrize(("limit", "remaining"), [(5, -5), (12, 2), (0, -10), (None, None)])
def test_remaining(limit: int | None, remaining: float | None) -> None:
    jobset = make_jobset(ttlSecondsAfterFinished=limit)
    finished = {"type": "Completed", "status": "True", "lastTransitionTime": "2026-01-01T12:00:00Z"}
    jobset["status"] = {"conditions": [finished]}
    now = NOW + timedelta(seconds=10)
    assert ttl.remaining(jobset, now) == remaining
    jobset["metadata"]["deletionTimestamp"] = "2026-01-01T12:00:00Z"
    assert ttl.remaining(jobset, now) is None


def test_a_finished_jobset_is_deleted_when_it_expires() -> None:
    cluster = Cluster(make_jobset(ttlSecondsAfterFinished=30)).settle().complete(*ALL)
    assert not cluster.deleted
    cluster.now += timedelta(seconds=30)
    assert cluster.settle().deleted


def test_without_a_limit_it_stays() -> None:
    cluster = Cluster(make_jobset()).settle().complete(*ALL)
    cluster.now += timedelta(days=30)
    assert not cluster.settle().deleted


def test_an_end_at_no_known_time_never_expires() -> None:
    jobset = make_jobset(ttlSecondsAfterFinished=5)
    finished = {"type": "Completed", "status": "True", "lastTransitionTime": "0001-01-01T00:00:00Z"}
    jobset["status"] = {"conditions": [finished], "terminalState": "Completed"}
    cluster = Cluster(jobset).settle()
    assert not cluster.deleted
    assert cluster.failure == ("error checking if ttl expired: unable to find the time when the JobSet ns/js finished")
