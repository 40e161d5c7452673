"""Cases of JobSet's behaviour as data (``jobset/*.yaml``), and the two stages on which they are played.

A case is a JobSet, steps, and after a step what must be so. The stage ``Planner`` is the pure plan and nothing else;
the stage ``Server`` is any Kubernetes API with a JobSet controller behind it, ours in this process or a cluster. Jobs
are declared to be managed by somebody else, so that no Job controller interferes: the script says what becomes of them.
``only: planner`` or ``only: server`` says that the other stage has not what a case needs (a garbage collector, rules of
admission, two failures in one moment).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import yaml

from sidings.api import objects, timestamps
from sidings.api.feature_gates import FeatureGates, Gate
from sidings.api.job import indexes
from sidings.api.jobset import labels
from sidings.api.kinds import jobset as jobset_kind
from sidings.api.objects import Object
from sidings.api.resources import CLAIMS, EVENTS, JOB_SETS, JOBS, NAMESPACES, PODS, SERVICES, Resource
from sidings.api.status import NotFound
from sidings.api.structural import defaulting
from sidings.client.interface import Client, PatchType
from sidings.clock import Clock
from tests.controllers.jobset.cluster import Cluster

FOLDER = Path(__file__).with_name("jobset")
MANAGER = "example.com/script"
HOLD = "example.com/hold"
APPLIER = "script"
QUIET_SECONDS = 1.5
LONGEST_WAIT = 20.0
_BY_KIND = {resource.kind: resource for resource in (JOB_SETS, SERVICES, JOBS, CLAIMS)}
_LETTERS = {"ready": "r", "succeeded": "s", "failed": "f", "active": "A", "suspended": "S"}


@dataclass(frozen=True)
class Case:
    name: str
    data: Object

    @property
    def gates(self) -> FeatureGates:
        return frozenset(Gate(name) for name in self.data.get("gates") or ())

    @property
    def jobset(self) -> Object:
        """As a user would send it: without defaults."""
        groups = self.data.get("groups") or [{"name": "a"}, {"name": "b", "replicas": 3}]
        made: Object = {
            "apiVersion": JOB_SETS.api_version,
            "kind": JOB_SETS.kind,
            "metadata": {"annotations": self.data.get("annotations") or {}},
            "spec": {"replicatedJobs": list(map(_group, groups)), **(self.data.get("jobset") or {})},
        }
        if "generateName" in self.data:
            made["metadata"]["generateName"] = self.data["generateName"]
        else:
            made["metadata"]["name"] = self.data.get("name") or "js"
        return objects.copy_of(made)  # YAML's aliases make cases share their parts

    @property
    def status(self) -> Object:
        """What has happened to the JobSet before the first step."""
        return dict(self.data.get("status") or {})

    def is_for(self, stage: str) -> bool:
        return self.data.get("only", stage) == stage and not self.is_about_admission

    @property
    def is_about_admission(self) -> bool:
        return "refused" in self.data


def load() -> Iterator[Case]:
    for file in sorted(FOLDER.glob("*.yaml")):
        for data in yaml.safe_load(file.read_text()):
            yield Case(f"{file.stem}-{data['case']}", data)


class Stage(Protocol):
    """``state`` holds every key that an ``expect`` may ask for but ``objects``, which ``find`` answers."""

    async def start(self, jobset: Object, status: Object) -> None: ...

    async def act(self, verb: str, what: Any, step: Object) -> None: ...

    async def settled(self) -> tuple[Object | None, list[Object], list[str]]:
        """The JobSet, its Jobs and the texts of its events, once nothing changes any more."""
        ...

    async def find(self, kind: str, name: str) -> Object | None: ...


VERBS = (
    "stranger", "hold", "complete", "fail", "failing", "ready", "active", "suspended", "numbers", "release", "pods",
    "place", "set", "keep", "apply", "wait", "delete",
)  # fmt: skip
"""In the order in which a step does them. Lists of Jobs for most; ``place`` changes pod templates by group, ``numbers``
are (ready, succeeded) by Job, ``keep`` puts a finalizer on the JobSet, ``apply`` sends its manifest once more."""


async def play(case: Case, stage: Stage) -> list[str]:
    """What is not as expected."""
    await stage.start(case.jobset, case.status)
    complaints: list[str] = []
    for number, step in enumerate(case.data["steps"]):
        for verb in VERBS:
            if verb in step:
                await stage.act(verb, step[verb], step)
        jobset, jobs, events = await stage.settled()
        wanted = dict(step.get("expect") or {})
        for name in wanted.pop("absent", ()):
            if found := await stage.find(*name.split()):
                complaints.append(f"step {number}: {name} is there: {found}")
        for name, partial in (wanted.pop("objects", None) or {}).items():
            found = await stage.find(*name.split())
            if found is None or not contains(found, partial):
                complaints.append(f"step {number}: {name} is {found}, expected {partial}")
        found_state = state(jobset, jobs, events)
        for key, value in wanted.items():
            if not contains(found_state[key], value):
                complaints.append(f"step {number}: {key} is {found_state[key]}, expected {value}")
    return complaints


def state(jobset: Object | None, jobs: list[Object], events: list[str]) -> Object:
    status = (jobset or {}).get("status") or {}
    living = [job for job in jobs if not objects.is_deleting(job)]
    attempts: dict[int, int] = {}
    for job in jobs:
        attempt = int(objects.labels_of(job).get(labels.RESTART_ATTEMPT, -1))
        attempts[attempt] = attempts.get(attempt, 0) + 1
    entries = status.get("replicatedJobsStatus") or []
    return {
        "gone": jobset is None,
        "generation": ((jobset or {}).get("metadata") or {}).get("generation"),
        "finished": status.get("terminalState") or "",
        "restarts": [status.get("restarts") or 0, status.get("restartsCountTowardsMax") or 0],
        "conditions": _Conditions({c["type"]: [c["status"], c["reason"]] for c in status.get("conditions") or ()}),
        "counts": {entry["name"]: _counts(entry) for entry in entries},
        "order": [entry["name"] for entry in entries],
        "jobs": sorted(map(objects.name_of, living)),
        "suspended": sorted(objects.name_of(job) for job in living if job["spec"].get("suspend")),
        "attempts": attempts,
        "job_restarts": {
            entry["name"]: [entry.get("jobRestarts"), entry.get("jobRestartsCountTowardsMax")] for entry in entries
        },
        "in_place": [status.get(f"{which}InPlaceRestartAttempt") for which in ("previous", "current")],
        "job_keys": all(objects.labels_of(job).get(labels.JOB_KEY) == _job_key(job) for job in living),
        "events": events,
        "reasons": sorted({text.split()[1] for text in events if not text.startswith("Service ")}),
        "service": jobset is not None and f"Service {objects.name_of(jobset)}" in events,
    }


def _job_key(job: Object) -> str:
    return hashlib.sha1(f"{objects.namespace_of(job)}/{objects.name_of(job)}".encode()).hexdigest()


class _Conditions(dict[str, Any]):
    """A condition that is not there is None, which a case may expect."""

    def __missing__(self, key: str) -> None:
        return None


def _counts(entry: Object) -> str:
    return " ".join(f"{letter}{entry[field]}" for field, letter in _LETTERS.items() if entry[field])


def contains(found: Any, wanted: Any) -> bool:
    """Maps may hold more than is wanted, also those in lists, and so may the list of events; all else is equal."""
    if isinstance(wanted, dict) and isinstance(found, _Conditions):
        return all(found[key] == value for key, value in wanted.items())
    if isinstance(wanted, dict) and isinstance(found, dict):
        exact = all(isinstance(key, int) for key in (*wanted, *found))
        return (not exact or found.keys() == wanted.keys()) and all(
            key in found and contains(found[key], value) for key, value in wanted.items()
        )
    if isinstance(wanted, list) and isinstance(found, list) and any(isinstance(item, dict) for item in wanted):
        return len(found) == len(wanted) and all(map(contains, found, wanted))
    if isinstance(wanted, list) and wanted and all(isinstance(item, str) and " " in item for item in wanted):
        return all(item in found for item in wanted)
    return bool(found == wanted)


def _group(group: Object) -> Object:
    mounts = [{"name": name, "mountPath": f"/{name}"} for name in group.get("mounts") or ()]
    container = {"name": "main", "image": group.get("image", "img:1"), **({"volumeMounts": mounts} if mounts else {})}
    pod: Object = {"restartPolicy": "Never", "containers": [container], **(group.get("pod") or {})}
    if first := group.get("initMounts"):
        mounts = [{"name": name, "mountPath": f"/{name}"} for name in first]
        pod["initContainers"] = [{"name": "first", "image": "img:1", "volumeMounts": mounts}]
    given = {"parallelism": 1, "completions": 1, "managedBy": MANAGER, **(group.get("job") or {})}
    job_spec = {"template": {"spec": pod}, **{key: value for key, value in given.items() if value is not None}}
    own = {key: value for key, value in group.items() if key not in ("mounts", "initMounts", "image", "pod", "job")}
    return {"replicas": 1, "template": {"spec": job_spec}, **own}


def placed(jobset: Object, placement: Object) -> Object:
    """``jobset`` with the pod templates of some groups changed: ``{group: {spec: ..., metadata: ...}}``."""
    changed: Object = objects.copy_of(jobset)
    for group in changed["spec"]["replicatedJobs"]:
        template = group["template"]["spec"]["template"]
        for part, fields in (placement.get(group["name"]) or {}).items():
            template[part] = {**(template.get(part) or {}), **fields}
    return changed


def _pod(number: int, attempt: int | None) -> Object:
    """A pod of the JobSet that says in which attempt it is, as its agent would have it."""
    annotations = {} if attempt is None else {labels.IN_PLACE_RESTART_ATTEMPT: str(attempt)}
    metadata = {"name": f"pod-{number}", "labels": {labels.JOBSET_NAME: "js"}, "annotations": annotations}
    return {"metadata": metadata, "spec": {"containers": [{"name": "main", "image": "img:1"}]}}


def job_status(verb: str, step: Object, moment: datetime, job: Object) -> Object:
    """What a Job controller would write into the status of ``job``."""
    text = timestamps.to_text(moment)
    status: Object = {"startTime": (job.get("status") or {}).get("startTime") or text}
    if verb in ("ready", "active"):
        return status | {"active": 1, "ready": int(verb == "ready")}
    if verb in ("failing", "suspended"):
        type_, reason = {
            "failing": ("FailureTarget", "BackoffLimitExceeded"),
            "suspended": ("Suspended", "JobSuspended"),
        }[verb]
        condition = {"type": type_, "status": "True", "reason": reason, "message": "", "lastTransitionTime": text}
        return status | {"active": int(verb == "failing"), "ready": 0, "conditions": [condition]}
    done = verb == "complete"
    reason = "CompletionsReached" if done else step.get("reason") or "BackoffLimitExceeded"
    types = ("SuccessCriteriaMet", "Complete") if done else ("FailureTarget", "Failed")
    conditions = [
        {
            "type": type_,
            "status": "True",
            "reason": reason,
            "message": step.get("message") or "",
            "lastProbeTime": text,
            "lastTransitionTime": text,
        }
        for type_ in types
    ]
    numbers: Object = {"active": 0, "ready": 0, "conditions": conditions}
    if done:
        return status | numbers | {"succeeded": 1, "completedIndexes": "0", "completionTime": text}
    return status | numbers | {"failed": 1}


def numbered(ready: int, succeeded: int, moment: datetime, job: Object) -> Object:
    """The status of ``job`` with so many pods."""
    start = (job.get("status") or {}).get("startTime") or timestamps.to_text(moment)
    status: Object = {"startTime": start, "active": ready, "ready": ready, "succeeded": succeeded}
    if job["spec"].get("completionMode") == "Indexed":
        status["completedIndexes"] = indexes.to_text(range(succeeded))
    return status


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
        self._foreign = bool(jobset["spec"].get("managedBy"))
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
                cluster.pods = [_pod(number, attempt) for number, attempt in enumerate(what)]
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


class Server:
    """Any API with a JobSet controller behind it; the case has the namespace ``namespace`` for itself."""

    def __init__(self, client: Client, clock: Clock, namespace: str) -> None:
        self._client = client
        self._clock = clock
        self._namespace = namespace
        self._moment = clock.now()
        self._name = ""

    async def start(self, jobset: Object, status: Object) -> None:
        await self._client.create(NAMESPACES, {"metadata": {"name": self._namespace}})
        self._sent = jobset
        created = await self._client.create(JOB_SETS, jobset, namespace=self._namespace, field_manager=APPLIER)
        self._name = objects.name_of(created)
        if status:
            await self._patch(JOB_SETS, self._name, {"status": status}, "status")
        await self.settled()

    async def act(self, verb: str, what: Any, step: Object) -> None:
        match verb:
            case "hold" | "release":
                finalizers = [HOLD] if verb == "hold" else None
                for name in what:
                    await self._patch(JOBS, name, {"metadata": {"finalizers": finalizers}})
            case "set":
                await self._patch(JOB_SETS, self._name, {"spec": what})
            case "place":
                live = await self._client.get(JOB_SETS, self._name, self._namespace)
                await self._client.update(JOB_SETS, placed(live, what))
            case "pods":
                for number, attempt in enumerate(what):
                    await self._client.create(PODS, _pod(number, attempt), namespace=self._namespace)
            case "wait":
                await self._clock.sleep(what)
            case "numbers":
                for name, (ready, succeeded) in what.items():
                    live = await self._client.get(JOBS, name, self._namespace)
                    status = numbered(ready, succeeded, self._clock.now(), live)
                    await self._patch(JOBS, name, {"status": status}, "status")
            case "keep":
                await self._patch(JOB_SETS, self._name, {"metadata": {"finalizers": [HOLD]}})
            case "apply":
                await self._client.patch(
                    JOB_SETS,
                    self._name,
                    self._sent,
                    namespace=self._namespace,
                    patch_type=PatchType.APPLY,
                    field_manager=APPLIER,
                    force=True,
                )
            case "delete":
                kind, name = what.split()
                policy = "Foreground" if kind == JOB_SETS.kind else "Background"
                await self._client.delete(_BY_KIND[kind], name, self._namespace, propagation_policy=policy)
            case _:
                for name in what:
                    self._moment += timedelta(seconds=1)
                    live = await self._client.get(JOBS, name, self._namespace)
                    await self._patch(JOBS, name, {"status": job_status(verb, step, self._moment, live)}, "status")

    async def settled(self) -> tuple[Object | None, list[Object], list[str]]:
        before, waited = None, 0.0
        while waited < LONGEST_WAIT:
            await self._clock.sleep(QUIET_SECONDS)
            waited += QUIET_SECONDS
            now = await self._look()
            if now == before:
                break
            before = now
        return await self._look()

    async def find(self, kind: str, name: str) -> Object | None:
        try:
            return await self._client.get(_BY_KIND[kind], name, self._namespace)
        except NotFound:
            return None

    async def _look(self) -> tuple[Object | None, list[Object], list[str]]:
        try:
            jobset = await self._client.get(JOB_SETS, self._name, self._namespace)
        except NotFound:
            jobset = None
        jobs = (await self._client.list(JOBS, self._namespace)).items
        told = (await self._client.list(EVENTS, self._namespace)).items
        events = [f"{event['type']} {event['reason']} {event['message']}" for event in told]
        services = (await self._client.list(SERVICES, self._namespace)).items
        return jobset, jobs, events + [f"Service {objects.name_of(service)}" for service in services]

    async def _patch(self, resource: Resource, name: str, body: Object, subresource: str = "") -> None:
        await self._client.patch(
            resource, name, body, namespace=self._namespace, patch_type=PatchType.MERGE, subresource=subresource
        )
