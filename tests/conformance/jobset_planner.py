"""The stage of the JobSet cases on which nothing but the pure plan plays."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sidings.api import objects, timestamps
from sidings.api.feature_gates import FeatureGates
from sidings.api.jobset import labels
from sidings.api.kinds import jobset as jobset_kind
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS
from sidings.api.structural import defaulting
from tests.conformance.jobset_script import HOLD, job_status, numbered, placed, pod, resized
from tests.controllers.jobset.cluster import Cluster


class Planner:
    """The pure plan, pass after pass."""

    def __init__(self, gates: FeatureGates) -> None:
        self._gates = gates
        self._held: set[str] = set()

    async def start(self, jobset: Object, status: Object) -> None:
        name = jobset["metadata"].get("name") or f"{jobset['metadata']['generateName']}x"
        metadata = {**jobset["metadata"], "name": name, "namespace": "ns", "uid": "js-uid", "generation": 1}
        self._sent = {**jobset, "metadata": metadata}
        jobset = _defaulted(self._sent)
        if status:
            jobset["status"] = status
        self._cluster = Cluster(jobset, self._gates)
        self._foreign = jobset["spec"].get("managedBy") not in (None, labels.OWN_MANAGER)
        await self.settled()

    async def act(self, verb: str, what: Any, step: Object) -> None:
        cluster = self._cluster
        match verb:
            case "hold":
                self._held |= set(what)
            case "release":
                self._held -= set(what)
            case "set":
                self._send({**cluster.jobset["spec"], **what})
            case "place":
                cluster.jobset = placed(cluster.jobset, what)
            case "resize":
                cluster.jobset = resized(cluster.jobset, what)
            case "stranger":
                owner = {"apiVersion": JOB_SETS.api_version, "kind": JOB_SETS.kind, "name": "js", "uid": "another"}
                metadata = {
                    "name": what,
                    "namespace": "ns",
                    "uid": what,
                    "ownerReferences": [{**owner, "controller": True}],
                }
                cluster.jobs[what] = {"metadata": metadata, "spec": {}}
            case "pods":
                cluster.pods = [pod(number, attempt) for number, attempt in enumerate(what)]
            case "wait":
                cluster.now += timedelta(seconds=what)
            case "numbers":
                for name, (ready, succeeded) in what.items():
                    status = numbered(ready, succeeded, cluster.now, cluster.jobs[name])
                    cluster.jobs[name] = {**cluster.jobs[name], "status": status}
            case "keep":
                cluster.jobset["metadata"]["finalizers"] = [HOLD]
            case "apply":
                self._send(_defaulted(self._sent)["spec"])
            case "delete":
                kind, name = what.split()
                if kind == JOB_SETS.kind:
                    cluster.jobset["metadata"]["deletionTimestamp"] = timestamps.to_text(cluster.now)
                elif kind == "Service":
                    cluster.service = None
                else:
                    del cluster.jobs[name]
            case _:
                for name in what:
                    cluster.now += timedelta(seconds=1)
                    status = job_status(verb, step, cluster.now, cluster.jobs[name])
                    cluster.jobs[name] = {**cluster.jobs[name], "status": status}

    def _send(self, spec: Object) -> None:
        jobset = self._cluster.jobset
        generation = jobset["metadata"]["generation"] + (spec != jobset["spec"])
        self._cluster.jobset = {**jobset, "spec": spec, "metadata": {**jobset["metadata"], "generation": generation}}

    async def settled(self) -> tuple[Object | None, list[Object], list[str]]:
        cluster = self._cluster
        if self._foreign:  # the controller does not plan for it at all
            return cluster.jobset, [], []
        while True:
            cluster.settle()
            gone = [name for name, job in cluster.jobs.items() if objects.is_deleting(job) and name not in self._held]
            if not gone or cluster.deleted:
                break
            for name in gone:
                del cluster.jobs[name]
        events = [" ".join(event) for event in cluster.events]
        events += [f"Service {objects.name_of(cluster.service)}"] if cluster.service else []
        return None if cluster.deleted else cluster.jobset, list(cluster.jobs.values()), events

    async def find(self, kind: str, name: str) -> Object | None:
        service = self._cluster.service
        if kind == "PersistentVolumeClaim":
            return self._cluster.claims.get(name)
        if kind == "Service":
            return service if service is not None and objects.name_of(service) == name else None
        return self._cluster.jobs.get(name)


def _defaulted(sent: Object) -> Object:
    jobset: Object = objects.copy_of(sent)
    defaulting.default(jobset_kind.SCHEMA, jobset)
    jobset_kind.KIND.rules.default_on_create(jobset)
    return jobset
