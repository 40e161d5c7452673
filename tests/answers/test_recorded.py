"""Object sets of a real control plane (Kubernetes 1.36 with Kueue v0.19), as it was recorded: the same answers.

Nothing in ``recorded/`` was made by this engine, and nothing of it is there: no annotations, no events, no nodes. Each
set is read twice, as a cluster of today serves it and as one whose Kueue knows ``v1beta1`` only.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from sidings.answers import check, codes, standing
from sidings.answers.why import chain
from sidings.api import catalog
from sidings.api.objects import Object, name_of, namespace_of, uid_of
from sidings.api.resources import WORKLOADS, Resource
from sidings.api.status import NotFound
from sidings.cli import jobs
from sidings.client.interface import ObjectList
from sidings.clock import ManualClock
from sidings.host import kueue_versions, surroundings

FOLDER = Path(__file__).parent / "recorded"
LATER = datetime(2026, 1, 1, 0, 1, tzinfo=UTC)


class RecordedCluster:
    """What was recorded, listed as a server does; ``version`` is the one of Kueue that it serves."""

    def __init__(self, name: str, version: str) -> None:
        recorded = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
        team = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
        self._objects: list[Object] = [*recorded["objects"], team]
        self._warnings = recorded["warnings"]
        self._version = version

    async def list(self, resource: Resource, namespace: str = "", **selectors: Any) -> ObjectList:
        if resource.group == WORKLOADS.group and resource.version != self._version:
            raise NotFound("the server could not find the requested resource")
        if resource.kind == "Event":
            return ObjectList([self._event(warning) for warning in self._warnings], "1")
        items = [obj for obj in self._objects if obj["kind"] == resource.kind]
        return ObjectList([self._served(resource, obj) for obj in items], "1")

    async def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        raise NotFound(f"{resource.plural} {name} not found")

    def _served(self, resource: Resource, obj: Object) -> Object:
        kind = catalog.builtin().by_api_version(resource.api_version, resource.kind)
        assert kind is not None
        return kind.conversion.from_stored(obj) if kind.conversion is not None else obj

    def _event(self, warning: Object) -> Object:
        kind, _, name = warning["involved"].partition("/")
        uids = [uid_of(obj) for obj in self._objects if (obj["kind"], name_of(obj)) == (kind, name)]
        involved = {"kind": kind, "name": name, "uid": next(iter(uids), "")}
        return {**warning, "type": "Warning", "metadata": {"name": name}, "involvedObject": involved}


WHY = [
    ("cq-flavor-missing", "j", codes.CLUSTER_QUEUE_INACTIVE, 'ClusterQueue "cq" admits nobody'),
    ("flavor-nodeselector-mismatch", "j", codes.NO_FLAVOR_MATCHES, 'no flavor of ClusterQueue "cq" suits the pods'),
    ("lq-without-cq", "j", codes.NO_CLUSTER_QUEUE, 'LocalQueue "lq" points to ClusterQueue "cq", which does not exist'),
    ("job-queue-missing", "j", codes.NO_LOCAL_QUEUE, 'namespace "team" has no LocalQueue "lq"'),
    ("max-exec-time", "j", codes.DEACTIVATED, "is deactivated (spec.active: false)"),
    ("resource-not-covered", "j", codes.NOT_COVERED, 'ClusterQueue "cq" has no quota for memory'),
    ("jobset-pending-quota-raised", "js", codes.NEVER_ENOUGH, "it asks for 3 pods x 1 CPU = 3 > 2 (a 1, b 2)"),
    (
        "trainjob-volumeclaimpolicies-default-retention",
        "tj",
        codes.NOT_RELEASED,
        "is admitted since 2026-01-01T00:00:00Z, and JobSet tj still suspended",
    ),
    ("stop-policy-cq-Hold", "j2", codes.CLUSTER_QUEUE_STOPPED, 'ClusterQueue "cq" is stopped'),
    ("stop-policy-lq-Hold", "j2", codes.LOCAL_QUEUE_STOPPED, 'LocalQueue "lq" is stopped'),
    ("job-pending-behind-other", "j2", codes.QUOTA_BUSY, 'it waits for quota of ClusterQueue "cq"'),
    ("no-preempt-equal-priority", "b", codes.QUOTA_BUSY, 'it waits for quota of ClusterQueue "cq"'),
]
WELL = [
    ("jobset-admit-run-finish", "js"),
    ("jobset-admit-run-finish-finished", "js"),
    ("job-pending-behind-other", "j1"),
]
VERSIONS = ("v1beta2", kueue_versions.OLDER)


async def answer(name: str, job: str, version: str) -> chain.Answer:
    cluster: Any = RecordedCluster(name, version)
    around = await surroundings.read(cluster, ManualClock(LATER), "team", " --context lab")
    assert around.kueue_version == version
    return chain.answer(await jobs.find(cluster, None, job, "team"), around)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("name", "job", "code", "what"), WHY, ids=[name for name, *_ in WHY])
async def test_why(name: str, job: str, code: str, what: str, version: str) -> None:
    found = (await answer(name, job, version)).findings
    assert found[0].code == code, found
    assert what in found[0].what
    assert " --context lab" in found[0].remedy


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("name", "job"), WELL)
async def test_nothing_is_wrong_with_jobs_that_run_or_ended(name: str, job: str, version: str) -> None:
    assert (await answer(name, job, version)).findings == []


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("name", "job", "code", "what"),
    [one for one in WHY if one[2] not in (codes.DEACTIVATED, codes.NOT_RELEASED)],
    ids=lambda value: value if isinstance(value, str) and "-" in value and " " not in value else "",
)
async def test_check_says_the_same_of_the_job_before_it_was_submitted(
    name: str, job: str, code: str, what: str, version: str
) -> None:
    cluster: Any = RecordedCluster(name, version)
    around = await surroundings.read(cluster, ManualClock(LATER), "team", " --context lab")
    family = await jobs.find(cluster, None, job, "team")
    workload = around.workload_of(family.members)
    assert workload is not None
    others = [other for other in around.of_kind("Workload") if other is not workload]
    around.objects = {**around.objects, "Workload": others}
    fresh = {**workload, "status": {}}
    prospect = check.of(family.root, fresh, around, standing.of(around))
    assert code in [found.code for found in prospect.findings], prospect
    assert any(what in found.what for found in prospect.findings)


def test_nothing_recorded_is_ours() -> None:
    for path in FOLDER.glob("*.yaml"):
        assert "sidings" not in path.read_text(), path
        for obj in yaml.safe_load(path.read_text())["objects"]:
            assert namespace_of(obj) in ("", "team")
