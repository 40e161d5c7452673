"""Which Workload is a job's own."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.controllers.kueue.jobs import matching

TEMPLATE: Object = {"spec": {"containers": [{"name": "c", "image": "i"}]}}
JOB: Object = {"metadata": {"name": "j"}}


def pod_set(count: int, **fields: Any) -> Object:
    return {"name": "main", "count": count, "template": TEMPLATE, **fields}


def workload(known: Object, admitted: int) -> Object:
    """One of ``known``, admitted with so many pods."""
    return {
        "spec": {"podSets": [known]},
        "status": {
            "admission": {"podSetAssignments": [{"name": "main", "count": admitted}]},
            "conditions": [{"type": "Admitted", "status": "True"}],
        },
    }


def test_pods_that_were_done_before_the_admission_do_not_make_another_job_of_it() -> None:
    """Stopped as no one's, started as admitted, again and again: a job that ran in part, was evicted and came back."""
    again = workload(pod_set(3), admitted=1)
    assert matching.matches(again, JOB, [pod_set(3)], running=True)
    assert not matching.matches(again, JOB, [pod_set(1)], running=True)


@pytest.mark.parametrize(("running", "count"), [(True, 3), (False, 5)])
def test_a_job_admitted_in_part_runs_with_the_admitted_count(running: bool, count: int) -> None:
    partial = workload(pod_set(5, minCount=2), admitted=3)
    assert matching.matches(partial, JOB, [pod_set(count, minCount=2)], running=running)
    assert not matching.matches(partial, JOB, [pod_set(4, minCount=2)], running=running)


def test_what_costs_resources_counts() -> None:
    other: Object = {"spec": {"containers": [{"name": "c", "image": "another"}]}}
    assert not matching.matches(workload(pod_set(3), 3), JOB, [pod_set(3) | {"template": other}], running=True)
