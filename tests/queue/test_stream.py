"""Reading queues and jobs for a simulation."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.queue import stream
from sidings.queue.stream import StreamError

FLAVOR = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ResourceFlavor", "metadata": {"name": "default"}}
QUEUE = {
    "apiVersion": "kueue.x-k8s.io/v1beta1",
    "kind": "ClusterQueue",
    "metadata": {"name": "cq"},
    "spec": {
        "cohort": "team",
        "namespaceSelector": {},
        "resourceGroups": [
            {
                "coveredResources": ["cpu"],
                "flavors": [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": "4"}]}],
            }
        ],
    },
}
LOCAL = {
    "apiVersion": "kueue.x-k8s.io/v1beta1",
    "kind": "LocalQueue",
    "metadata": {"name": "lq", "namespace": "a"},
    "spec": {"clusterQueue": "cq"},
}


def jobs(**entry: Any) -> Object:
    usual = {"name": "tune", "queue": "a/lq", "requests": {"cpu": "1"}, "runtime": "10s"}
    return {"apiVersion": "sidings.dev/v1alpha1", "kind": "JobStream", "jobs": [{**usual, **entry}]}


def test_jobs_come_one_after_the_other() -> None:
    play = stream.read([FLAVOR, QUEUE, LOCAL, jobs(count=3, every="1m", arrives="30s", pods=2, priority=7)])
    assert [arrival.at for arrival in play.arrivals] == [30, 90, 150]
    workload = play.arrivals[0].workload
    assert (workload.key, workload.priority, workload.pod_sets[0].count) == ("a/tune-1", 7, 2)
    assert play.arrivals[0].runtime == 10


def test_lists_of_kubectl_and_the_older_version_are_read() -> None:
    play = stream.read([{"apiVersion": "v1", "kind": "List", "items": [FLAVOR, QUEUE, LOCAL]}, jobs()])
    queue = next(obj for obj in play.objects if obj["kind"] == "ClusterQueue")
    assert queue["spec"]["cohortName"] == "team"
    assert any(obj["kind"] == "Namespace" and obj["metadata"]["name"] == "a" for obj in play.objects)


@pytest.mark.parametrize(
    ("text", "expected"), [("90s", 90), ("1h30m", 5400), (5, 5), ("500ms", 0.5), ("1d", 86400), ("1.5m", 90)]
)
def test_durations(text: str | int, expected: float) -> None:
    assert stream.seconds(text) == expected


@pytest.mark.parametrize(
    ("documents", "text"),
    [
        ([jobs()], "there is no ClusterQueue"),
        ([QUEUE, LOCAL], "there are no jobs"),
        ([QUEUE, LOCAL, jobs(queue="b/lq")], "job tune: there is no LocalQueue b/lq; there are a/lq"),
        ([QUEUE, LOCAL, jobs(runtime="soon")], "job tune: 'soon' is no duration"),
        ([QUEUE, LOCAL, jobs(gpus=1)], "job tune: unknown field gpus"),
        ([QUEUE, LOCAL, {"kind": "JobStream", "jobs": [{"name": "x"}]}], "job x: queue is missing"),
    ],
)
def test_what_cannot_be_played_is_named(documents: list[Object], text: str) -> None:
    with pytest.raises(StreamError) as error:
        stream.read(documents)
    assert text in str(error.value)
