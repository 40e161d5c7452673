"""Cases of the Trainer's behaviour as data (``trainjob/*.yaml``), and the two ways in which they are played.

A case is a runtime and a TrainJob. ``expect`` says what its JobSet must hold, and is asked of the pure pipeline and of
a server; ``refused`` says what admission answers; ``steps`` are a life on a server whose Jobs the script plays, because
they are declared to be managed by somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from sidings.api import objects, timestamps
from sidings.api.kinds import trainjob as trainjob_kind
from sidings.api.objects import Object, annotations_of, labels_of
from sidings.api.resources import (
    CONFIG_MAPS,
    COSCHEDULING_POD_GROUPS,
    EVENTS,
    JOB_SETS,
    JOBS,
    NAMESPACES,
    SECRETS,
    TRAIN_JOBS,
    TRAINING_RUNTIMES,
    VOLCANO_POD_GROUPS,
)
from sidings.api.status import ApiError, NotFound
from sidings.api.structural import defaulting
from sidings.api.trainer import runtimes, words
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.trainjob import job_set
from tests.conformance.jobset_script import MANAGER, job_status

FOLDER = Path(__file__).with_name("trainjob")
QUIET_SECONDS = 1.5
COMPANIONS = {
    "ConfigMap": CONFIG_MAPS,
    "Secret": SECRETS,
    "PodGroup": COSCHEDULING_POD_GROUPS,
    "VolcanoPodGroup": VOLCANO_POD_GROUPS,
}


RESOURCES = {
    resource.kind: resource for resource in (JOB_SETS, CONFIG_MAPS, TRAINING_RUNTIMES, TRAIN_JOBS)
} | COMPANIONS
"""By the kinds of cases."""
JUST_NOW = timedelta(minutes=1)


@dataclass(frozen=True)
class Case:
    name: str
    data: Object

    @property
    def runtime(self) -> Object:
        """The TrainingRuntime, as a user would send it."""
        given = self.data.get("runtime") or {}
        spec: Object = {"template": {"spec": {"replicatedJobs": [_job(job) for job in given.get("jobs") or [NODE]]}}}
        spec["template"]["spec"] |= given.get("spec") or {}
        if "metadata" in given:
            spec["template"]["metadata"] = given["metadata"]
        policy = given.get("policy", {"torch": {}})
        spec |= {"mlPolicy": policy} if policy is not None else {}
        spec |= {"podGroupPolicy": given["gang"]} if "gang" in given else {}
        finalizers = {"finalizers": given["finalizers"]} if "finalizers" in given else {}
        made = {
            "apiVersion": TRAINING_RUNTIMES.api_version,
            "kind": TRAINING_RUNTIMES.kind,
            "metadata": {"name": given.get("name") or "rt", "namespace": self.namespace, **finalizers},
            "spec": spec,
        }
        return objects.copy_of(made)

    @property
    def job(self) -> Object:
        """The TrainJob, as a user would send it."""
        name = (self.data.get("runtime") or {}).get("name") or "rt"
        spec = {"runtimeRef": {"kind": "TrainingRuntime", "name": name}, **(self.data.get("job") or {})}
        if "long_argument" in self.data:
            spec["trainer"] = {"args": ["x" * self.data["long_argument"]]}
        made = {
            "apiVersion": TRAIN_JOBS.api_version,
            "kind": TRAIN_JOBS.kind,
            "metadata": {"name": self.data.get("name") or "test-job", "namespace": self.namespace},
            "spec": spec,
        }
        return objects.copy_of(made)

    @property
    def namespace(self) -> str:
        return f"case-{self.name.lower().replace('.', '-')}"


NODE: Object = {"name": "node", "ancestor": "trainer"}


def _job(given: Object) -> Object:
    """A replicatedJob of the notation: what is not known here is a field of its container."""
    own = ("name", "ancestor", "container", "pod", "job", "template", "replicas", "dependsOn", "more")
    container = {"name": given.get("container") or "node", "image": "img:1"}
    container |= {key: value for key, value in given.items() if key not in own}
    pod = {"containers": [container, *(given.get("more") or ())], **(given.get("pod") or {})}
    template: Object = {
        "spec": {**(given.get("job") or {}), "template": {"spec": pod, **(given.get("template") or {})}}
    }
    if "ancestor" in given:
        template["metadata"] = {"labels": {words.ANCESTOR_LABEL: given["ancestor"]}}
    kept = {key: given[key] for key in ("replicas", "dependsOn") if key in given}
    return {"name": given["name"], "template": template, **kept}


def load() -> Iterator[Case]:
    for file in sorted(FOLDER.glob("*.yaml")):
        for data in yaml.safe_load(file.read_text()):
            yield Case(f"{file.stem}-{data['case']}", data)


def view(built: Object) -> Object:
    """What a case can say of a JobSet: a map of replicatedJobs, and what is beside them."""
    spec, metadata = built["spec"], built["metadata"]
    return {
        "labels": metadata.get("labels") or {},
        "annotations": metadata.get("annotations") or {},
        "suspend": spec.get("suspend"),
        "order": [job["name"] for job in spec["replicatedJobs"]],
        "jobs": {job["name"]: _view_of_job(job) for job in spec["replicatedJobs"]},
    }


def _view_of_job(job: Object) -> Object:
    template = job["template"]
    pod_template = template["spec"]["template"]
    pod = pod_template["spec"]
    return {
        "nodes": [template["spec"].get("parallelism"), template["spec"].get("completions")],
        "replicas": job.get("replicas", 1),
        "job_labels": labels_of(template),
        "job_annotations": annotations_of(template),
        "pod_labels": labels_of(pod_template),
        "pod_annotations": annotations_of(pod_template),
        "volumes": [volume["name"] for volume in pod.get("volumes") or ()],
        "init": {container["name"]: _view_of_container(container) for container in pod.get("initContainers") or ()},
        **{field: pod.get(field) for field in ("affinity", "nodeSelector", "tolerations", "serviceAccountName")},
        "grace": pod.get("terminationGracePeriodSeconds"),
        **_view_of_container(runtimes.named(pod["containers"], job["name"]) or pod["containers"][0]),
    }


def _view_of_container(container: Object) -> Object:
    env = container.get("env") or []
    return {
        **{field: container.get(field) for field in ("image", "command", "args", "securityContext", "envFrom")},
        "env": {item["name"]: _value(item) for item in env},
        "env_order": [item["name"] for item in env],
        "ports": [port["containerPort"] for port in container.get("ports") or ()],
        "mounts": {mount["mountPath"]: mount["name"] for mount in container.get("volumeMounts") or ()},
        **{field: (container.get("resources") or {}).get(field) or {} for field in ("limits", "requests")},
    }


def _value(variable: Object) -> str:
    source = variable.get("valueFrom")
    return str(source["fieldRef"]["fieldPath"]) if source else str(variable.get("value") or "")


def differing(found: Any, wanted: Any, path: str = "") -> Iterator[str]:
    """Where ``found`` is not as ``wanted``; a map may hold more, and null means that something is not there."""
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            here = f"{path}.{key}" if path else str(key)
            inner = found.get(key) if isinstance(found, dict) else None
            yield from differing(inner, value, here)
    elif found != wanted:
        yield f"{path}: expected {wanted!r}, got {found!r}"


def planned(case: Case) -> list[str]:
    """What the pure pipeline makes of ``case``, compared with what it expects."""
    job = case.job
    defaulting.default(trainjob_kind.SCHEMA, job)
    job["metadata"] |= {"uid": "uid", "creationTimestamp": "2026-01-01T00:00:00Z"}
    expected = dict(case.data["expect"])
    beside = expected.pop("beside", {})
    try:
        built = job_set.build(job, case.runtime)
    except Exception as error:
        return list(differing(str(error), case.data.get("error")))
    complaints = list(differing(view(built.job_set), expected))
    by_resource = {(companion.resource, companion.name): companion for companion in built.companions}
    for what, wanted in beside.items():
        kind, name = what.split("/")
        companion = by_resource.get((COMPANIONS[kind], name))
        complaints += differing(companion.make() if companion else None, wanted, what)
    return complaints


class Stage:
    """A server with the Trainer's and JobSet's controllers behind it."""

    def __init__(self, client: Client, clock: Clock, case: Case) -> None:
        self._client = client
        self._clock = clock
        self._case = case
        self._name = case.job["metadata"]["name"]

    async def prepare(self, *, runtime: bool = True) -> str:
        """Make namespace and runtime; the refusal of the runtime, if it is refused."""
        await self._client.create(NAMESPACES, {"metadata": {"name": self._case.namespace}})
        for what, content in (self._case.data.get("foreign") or {}).items():
            kind, _, name = what.partition("/")
            body = {"metadata": {"name": name}, **content}
            await self._client.create(RESOURCES[kind], body, namespace=self._case.namespace)
        if not runtime:
            return ""
        try:
            await self._client.create(TRAINING_RUNTIMES, self._case.runtime, namespace=self._case.namespace)
        except ApiError as error:
            return f"{error.http_status} {error.message}"
        await self._clock.sleep(QUIET_SECONDS)
        return ""

    async def submit(self) -> str:
        """Create the TrainJob; how that was refused, or ``""``."""
        try:
            await self._client.create(TRAIN_JOBS, self._case.job, namespace=self._case.namespace)
        except ApiError as error:
            return f"{error.http_status} {error.message}"
        await self._clock.sleep(QUIET_SECONDS)
        return ""

    async def change(self, body: Object) -> str:
        try:
            await self._client.patch(TRAIN_JOBS, self._name, body, namespace=self._case.namespace)
        except ApiError as error:
            return f"{error.http_status} {error.message}"
        await self._clock.sleep(QUIET_SECONDS)
        return ""

    async def act(self, step: Object) -> str:
        """One step; a refusal, or ``""``."""
        if "patch" in step:
            return await self.change({"spec": step["patch"]})
        if "runtime" in step:
            body = {"spec": step["runtime"]}
            await self._client.patch(TRAINING_RUNTIMES, "rt", body, namespace=self._case.namespace)
        for name, body in (step.get("edit") or {}).items():
            kind, _, named = name.partition("/")
            await self._client.patch(RESOURCES[kind], named, body, namespace=self._case.namespace)
        for name in step.get("delete") or ():
            kind, _, named = name.partition("/")
            await self._client.delete(
                RESOURCES[kind], named, self._case.namespace, propagation_policy="Background", grace_period_seconds=0
            )
        for verb in ("complete", "fail", "active"):
            for name in step.get(verb) or ():
                job = await self._client.get(JOBS, name, self._case.namespace)
                body = {"status": job_status(verb, step, self._clock.now(), job)}
                await self._client.patch(JOBS, name, body, namespace=self._case.namespace, subresource="status")
        await self._clock.sleep(float(step.get("wait") or 0) + QUIET_SECONDS)
        return ""

    async def seen(self) -> Object:
        """TrainJob and JobSet in the words of cases."""
        job = await self._get(TRAIN_JOBS, self._name)
        built = await self._get(JOB_SETS, self._name)
        status = (job or {}).get("status") or {}
        events = (await self._client.list(EVENTS, self._case.namespace)).items
        runtime = await self._get(TRAINING_RUNTIMES, self._case.runtime["metadata"]["name"]) or {}
        return {
            "conditions": [f"{c['type']}={c['status']} {c['reason']}" for c in status.get("conditions") or ()],
            "jobs_status": {
                row["name"]: {field: row[field] for field in row if field != "name" and row[field]}
                for row in status.get("jobsStatus") or ()
            },
            "jobset": view(built) if built else None,
            "spec": (job or {}).get("spec"),
            "patch_times": {
                patch["manager"]: self._moment(patch["time"])
                for patch in ((job or {}).get("spec") or {}).get("runtimePatches") or ()
            },
            "runtime": runtime.get("spec"),
            "finalizers": (runtime.get("metadata") or {}).get("finalizers") or [],
            "beside": {
                f"{kind}/{objects.name_of(item)}": item
                for kind, resource in COMPANIONS.items()
                for item in (await self._client.list(resource, self._case.namespace)).items
            },
            "warnings": sorted({e["reason"] for e in events if e["involvedObject"]["kind"] == "TrainJob"}),
            "gone": [
                name for name, resource in COMPANIONS.items() if name != "PodGroup" and not await self._names(resource)
            ],
        }

    async def compare_built(self) -> list[str]:
        expected = dict(self._case.data["expect"])
        beside = expected.pop("beside", {})
        built = await self._get(JOB_SETS, self._name)
        if "error" in self._case.data:
            return list(differing((await self.seen())["warnings"], ["TrainJobResourcesCreationFailed"]))
        complaints = list(differing(view(built) if built else None, expected))
        for what, wanted in beside.items():
            kind, name = what.split("/")
            complaints += differing(await self._get(COMPANIONS[kind], name), wanted, what)
        return complaints

    async def clean_up(self) -> None:
        await self._client.delete(NAMESPACES, self._case.namespace)

    def _moment(self, text: str) -> str:
        """A time as cases say it: those that the server has just given are ``now``."""
        return "now" if abs(self._clock.now() - timestamps.from_text(text)) < JUST_NOW else text

    async def _names(self, resource: Any) -> list[str]:
        items = (await self._client.list(resource, self._case.namespace)).items
        return [objects.name_of(item) for item in items if objects.name_of(item).startswith(self._name)]

    async def _get(self, resource: Any, name: str) -> Object | None:
        try:
            return await self._client.get(resource, name, self._case.namespace)
        except NotFound:
            return None


async def play(case: Case, stage: Stage) -> list[str]:
    """What is not as expected of a life on a server."""
    complaints = []
    if refusal := await stage.prepare() or await stage.submit():
        return [refusal]
    for number, step in enumerate(case.data["steps"]):
        refusal = await stage.act(step)
        wanted = step.get("refused", "")
        if bool(wanted) != bool(refusal) or wanted not in refusal:
            complaints.append(f"step {number}: expected {wanted!r}, got {refusal!r}")
        complaints += [f"step {number}: {each}" for each in differing(await stage.seen(), step.get("expect") or {})]
    return complaints


SCRIPTED = {"managedBy": MANAGER}
"""Of a Job spec in a case: the script says what becomes of the Job."""
