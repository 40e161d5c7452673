"""batch/v1 Jobs in a queue."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.controllers.kueue.jobs.batch_job import BatchJob
from sidings.controllers.kueue.jobs.pod_set_info import PodSetInfo

KIND = BatchJob()


def job(status: Object | None = None, annotations: dict[str, str] | None = None, **spec: Any) -> Object:
    template = {"metadata": {"labels": {"controller-uid": "u", "job-name": "j", "a": "b"}}, "spec": {}}
    return {
        "metadata": {"name": "j", "annotations": annotations or {}},
        "spec": {"template": template, **spec},
        "status": status or {},
    }


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        ({}, 1),
        ({"parallelism": 3}, 3),
        ({"parallelism": 3, "completions": 2}, 2),
        ({"parallelism": 2, "completions": 9}, 2),
    ],
)
def test_as_many_pods_as_run_at_once(spec: Object, count: int) -> None:
    (pod_set,) = KIND.pod_sets(job(**spec), None)
    assert (pod_set["name"], pod_set["count"]) == ("main", count)
    assert pod_set["template"]["metadata"]["labels"] == {"a": "b"}
    assert pod_set["topologyRequest"] == {"podIndexLabel": "batch.kubernetes.io/job-completion-index"}


def test_partial_admission_writes_parallelism_and_takes_it_back() -> None:
    keys = {
        "kueue.x-k8s.io/job-min-parallelism": "2",
        "kueue.x-k8s.io/job-completions-equal-parallelism": "true",
    }
    before = job(annotations=keys, parallelism=5, completions=5, suspend=True)
    pod_sets = KIND.pod_sets(before, None)
    assert pod_sets[0]["minCount"] == 2
    running = KIND.started(before, [PodSetInfo("main", 3)])
    assert (running["spec"]["parallelism"], running["spec"]["completions"]) == (3, 3)
    running["spec"]["suspend"] = True
    running["metadata"]["annotations"]["kueue.x-k8s.io/stopping"] = "true"
    step = KIND.stopped(running, pod_sets)
    assert step is not None
    assert (step.obj["spec"]["parallelism"], step.obj["spec"]["completions"]) == (5, 5)


def test_a_job_stops_in_three_writes() -> None:
    running = job(status={"startTime": "2026-01-01T00:00:00Z"}, suspend=False)
    pod_sets = KIND.pod_sets(running, None)
    steps = []
    current: Object | None = running
    while current is not None and (step := KIND.stopped(current, pod_sets)) is not None:
        steps.append(step.subresource or "spec")
        current = step.obj
    assert steps == ["spec", "status", "spec"]
    assert current is not None
    assert current["spec"]["suspend"] is True
    assert "startTime" not in current["status"]
    assert current["metadata"]["annotations"] == {}
    assert running["spec"]["suspend"] is False, "results are new objects"


@pytest.mark.parametrize(
    ("succeeded", "reclaimable"),
    [(0, []), (4, []), (5, [{"name": "main", "count": 1}]), (7, [{"name": "main", "count": 3}])],
)
def test_pods_that_no_completion_needs_any_more(succeeded: int, reclaimable: list[Object]) -> None:
    assert KIND.reclaimable(job({"succeeded": succeeded}, parallelism=4, completions=8), None) == reclaimable


def test_ready_or_done() -> None:
    assert KIND.pods_ready(job({"ready": 1, "succeeded": 1}, parallelism=2), None)
    assert not KIND.pods_ready(job({"ready": 1}, parallelism=2), None)
