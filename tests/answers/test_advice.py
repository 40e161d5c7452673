"""Warnings about jobs that are not submitted yet: each by the one thing that is missing, none where nothing is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sidings.answers import advice, codes
from sidings.answers.finding import Finding, Severity
from sidings.answers.surroundings import Surroundings
from sidings.api.objects import Object

JOB: Object = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "team"}, "spec": {}}
LIMIT = {"resources": {"limits": {"memory": "2Gi"}}}
SAVES = {"command": ["train", "--checkpoint-dir=/data/run"], "volumeMounts": [{"name": "d", "mountPath": "/data"}]}
CLAIM = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}]}


def found(container: Object, *pods: Object, **spec: Any) -> list[Finding]:
    around = Surroundings(datetime(2026, 1, 1, tzinfo=UTC), {"Pod": list(pods)})
    return list(advice.find(JOB, [{"containers": [{"name": "c", "image": "i", **container}], **spec}], around))


def killed(limit: str, image: str = "i", field: str = "state") -> Object:
    container = {"name": "c", "image": image, "resources": {"limits": {"memory": limit}}}
    ended = {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}
    return {
        "metadata": {"name": "before", "namespace": "team"},
        "spec": {"containers": [container]},
        "status": {"containerStatuses": [{"name": "c", field: ended}]},
    }


def test_a_job_with_everything_is_left_alone() -> None:
    assert found({**LIMIT, **SAVES}, killed("1Gi"), killed("4Gi", image="other"), **CLAIM) == []


@pytest.mark.parametrize(
    ("container", "spec", "code", "what"),
    [
        (SAVES, CLAIM, codes.NO_LIMITS, "container c has no memory limit"),
        (LIMIT, {}, codes.NOTHING_LASTS, "no pod mounts a claim: what it writes goes with its pods"),
        (
            {**LIMIT, **SAVES},
            {"volumes": [{"name": "d", "emptyDir": {}}]},
            codes.CHECKPOINTS_VANISH,
            "it writes to /data/run, which is on no volume that outlives its pod",
        ),
        (
            {**LIMIT, **SAVES},
            {**CLAIM, "terminationGracePeriodSeconds": 5},
            codes.GRACE_TOO_SHORT,
            "its pods get 5 s to write a checkpoint when they are stopped",
        ),
    ],
)
def test_one_thing_is_missing(container: Object, spec: Object, code: str, what: str) -> None:
    [warning] = found(container, **spec)
    assert (warning.code, warning.severity, warning.what) == (code, Severity.WARNING, what)


@pytest.mark.parametrize("field", ["state", "lastState"])
def test_less_memory_than_was_too_little_before(field: str) -> None:
    [warning] = found({**LIMIT, **SAVES}, killed("2Gi", field=field), **CLAIM)
    assert warning.code == codes.MEMORY_SEEN
    assert warning.what == 'container "c" may use 2Gi, and 2Gi were too little before'
