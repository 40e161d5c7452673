"""Cases of a Job's behaviour as data (``job/*.yaml``), and the two stages on which they are played.

A case is the spec of a Job, steps, and after a step what must be so. Pods are named by their completion index. ``slow``
says that pods which are asked to stop go on until the script ends them; else they end at once. The stage ``Planner`` is
the pure plan over pods in a dict; the stage ``Server`` is any Kubernetes API with a Job controller behind it and nodes
that the script plays, ours in this process or a cluster, which gets Node objects behind which no kubelet stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import yaml

from sidings.api import objects, timestamps
from sidings.api.job import labels
from sidings.api.kinds.job import KIND
from sidings.api.objects import Object
from sidings.api.resources import JOBS, NAMESPACES, PODS
from sidings.api.status import NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.job import pods, ttl
from sidings.controllers.job.backoff import NO_FAILURES
from sidings.controllers.job.plan import JobPlan, plan
from sidings.controllers.job.snapshot import Snapshot
from tests.conformance.scripted_kubelet import TERMINATED, ScriptedKubelet
from tests.conformance.world import make_nodes
from tests.controllers.job.jobs import NOW

FOLDER = Path(__file__).with_name("job")
NAME = "j"
NOBODY = "example.com/nobody"
"""A scheduler that does not exist: the script binds the pods."""
SETTLE_SECONDS = 3.0
MOST_PASSES = 50
NUMBERS = ("active", "ready", "terminating", "failed", "succeeded")


@dataclass(frozen=True)
class Case:
    name: str
    data: Object

    @property
    def job(self) -> Object:
        """As a user would send it."""
        given = objects.copy_of(self.data["job"])
        containers = [{"name": "main", "image": "img:1"}]
        pod = {"restartPolicy": "Never", "schedulerName": NOBODY, "containers": containers, **given.pop("pod", {})}
        spec = {"template": {"spec": pod}, **given}
        if "completions" in spec:
            spec = {"completionMode": "Indexed", "parallelism": spec["completions"], **spec}
        return {"apiVersion": JOBS.api_version, "kind": JOBS.kind, "metadata": {"name": NAME}, "spec": spec}

    @property
    def slow(self) -> bool:
        return bool(self.data.get("slow"))


def load() -> Iterator[Case]:
    for file in sorted(FOLDER.glob("*.yaml")):
        for data in yaml.safe_load(file.read_text()):
            yield Case(data["case"], data)


class Stage(Protocol):
    async def start(self, job: Object) -> None: ...

    async def pods(self) -> list[Object]:
        """All pods of the Job that are there."""
        ...

    async def job(self) -> Object | None: ...

    async def change(self, spec: Object) -> None: ...

    async def act(self, pod: str, action: str, options: Object) -> None: ...

    async def wait(self, seconds: float) -> None: ...


VERBS = ("running", "ready", "restart", "succeed", "fail", "delete", "force")


async def play(case: Case, stage: Stage) -> list[str]:
    """What is not as expected."""
    await stage.start(case.job)
    made: set[str] = set()
    complaints = []
    for number, step in enumerate(case.data["steps"]):
        for verb in VERBS:
            for index in step.get(verb) or ():
                await stage.act(_of_index(await stage.pods(), index), verb, step)
        if "set" in step:
            await stage.change(step["set"])
        await stage.wait(step.get("wait", SETTLE_SECONDS))
        present = await stage.pods()
        made |= {objects.uid_of(pod) for pod in present}
        found = state(await stage.job(), present, len(made))
        for key, value in (step.get("expect") or {}).items():
            if not _is(found[key], value):
                complaints.append(f"step {number}: {key} is {found[key]}, expected {value}; all: {found}")
    return complaints


def _of_index(present: list[Object], index: int) -> str:
    """The name of the pod of an index that has not ended."""
    names = [
        objects.name_of(pod) for pod in present if pods.completion_index(pod) == index and not pods.is_terminal(pod)
    ]
    assert len(names) == 1, f"index {index} has the pods {names}"
    return names[0]


def state(job: Object | None, present: list[Object], made: int) -> Object:
    status = (job or {}).get("status") or {}
    active = [pods.completion_index(pod) for pod in present if pods.is_active(pod)]
    return {
        **{name: status.get(name) or 0 for name in NUMBERS},
        "gone": job is None,
        "indexes": sorted(index for index in active if index is not None),
        "hosts": sorted({pod["spec"].get("hostname") for pod in present if pods.is_active(pod)}),
        "env": sorted({env["name"] for pod in present for env in pod["spec"]["containers"][0].get("env") or ()}),
        "made": made,
        "completed": status.get("completedIndexes") or "",
        "failed_indexes": status.get("failedIndexes") or "",
        "started": bool(status.get("startTime")),
        "conditions": {c["type"]: [c["status"], c["reason"]] for c in status.get("conditions") or ()},
        "messages": {c["type"]: c["message"] for c in status.get("conditions") or ()},
    }


def _is(found: Any, wanted: Any) -> bool:
    """Of conditions and messages only those that are named count; None means that one is not there."""
    if isinstance(wanted, dict):
        return all(found.get(key) == value for key, value in wanted.items())
    return bool(found == wanted)


class Planner:
    """The pure plan, pass after pass, over a Job and its pods in memory."""

    def __init__(self, *, slow: bool) -> None:
        self._slow = slow
        self._now = NOW
        self._backoff = NO_FAILURES
        self._pods: dict[str, Object] = {}
        self._created = 0
        self._forced: set[str] = set()
        """Pods that go without having ended, once nobody holds them."""

    async def start(self, job: Object) -> None:
        self._job = {**job, "metadata": {**job["metadata"], "namespace": "ns", "uid": "job-uid"}}
        KIND.rules.default(self._job)
        KIND.rules.default_on_create(self._job)
        self._gone = False
        self._settle()

    async def pods(self) -> list[Object]:
        return list(self._pods.values())

    async def job(self) -> Object | None:
        return None if self._gone else self._job

    async def change(self, spec: Object) -> None:
        self._job = {**self._job, "spec": {**self._job["spec"], **spec}}

    async def act(self, pod: str, action: str, options: Object) -> None:
        moment = timestamps.to_text(self._now)
        if action == "delete":
            self._delete(self._pods[pod])
        elif action == "force":
            self._forced.add(pod)
            self._delete(self._pods[pod])
        else:
            self._write(self._pods[pod], ScriptedKubelet.status(self._pods[pod], action, options, moment))

    async def wait(self, seconds: float) -> None:
        end = self._now + timedelta(seconds=seconds)
        while (pause := self._settle()) is not None and self._now + timedelta(seconds=pause) < end:
            self._now += timedelta(seconds=max(pause, 0.001))
        self._now = end
        self._settle()

    def _settle(self) -> float | None:
        """Pass after pass until one has nothing to do; seconds until the next look."""
        for _ in range(MOST_PASSES):
            self._stop_pods()
            self._pods = {
                name: pod
                for name, pod in self._pods.items()
                if pods.is_tracked(pod) or not (name in self._forced or _may_go(pod))
            }
            expiry = ttl.remaining(self._job, self._now)
            if self._gone or (expiry is not None and expiry <= 0):
                self._gone, self._pods = True, {}
                return None
            decided = plan(Snapshot.of(self._job, self._pods.values(), self._backoff), self._now)
            self._backoff = decided.backoff
            if not self._carry_out(decided):
                return min((s for s in (decided.requeue_after, expiry) if s is not None), default=None)
        raise AssertionError("the Job does not come to rest")

    def _stop_pods(self) -> None:
        for name, pod in self._pods.items():
            if pods.is_terminating(pod) and not self._slow and name not in self._forced:
                moment = timestamps.to_text(self._now)
                self._write(pod, ScriptedKubelet.status(pod, "fail", {"exitCode": TERMINATED}, moment))

    def _carry_out(self, decided: JobPlan) -> bool:
        for pod in decided.discard:
            self._release(pod)
            self._delete(self._pods[objects.name_of(pod)])
        for pod in decided.terminate:
            self._delete(pod)
        for pod in decided.create:
            self._created += 1
            metadata = {**pod["metadata"], "name": f"{pod['metadata']['generateName']}{self._created}"}
            metadata |= {"uid": metadata["name"], "creationTimestamp": timestamps.to_text(self._now)}
            self._pods[metadata["name"]] = {**pod, "metadata": metadata, "status": {"phase": "Pending"}}
        if decided.status is not None:
            self._job = {**self._job, "status": decided.status}
        for pod in decided.release:
            self._release(pod)
        return bool(decided.discard or decided.terminate or decided.create or decided.status or decided.release)

    def _delete(self, pod: Object) -> None:
        metadata = {**pod["metadata"], "deletionTimestamp": timestamps.to_text(self._now)}
        self._pods[objects.name_of(pod)] = {**pod, "metadata": metadata}

    def _release(self, pod: Object) -> None:
        name = objects.name_of(pod)
        if name in self._pods:
            left = [f for f in pod["metadata"]["finalizers"] if f != labels.TRACKING_FINALIZER]
            metadata = {**self._pods[name]["metadata"], "finalizers": left}
            self._pods[name] = {**self._pods[name], "metadata": metadata}

    def _write(self, pod: Object, status: Object) -> None:
        self._pods[objects.name_of(pod)] = {**pod, "status": status}


def _may_go(pod: Object) -> bool:
    return objects.is_deleting(pod) and (pods.is_terminal(pod) or not pod.get("status", {}).get("startTime"))


class Server:
    """Any API with a Job controller behind it; the case has the namespace ``namespace`` for itself."""

    def __init__(self, client: Client, clock: Clock, namespace: str, *, slow: bool) -> None:
        self._client = client
        self._clock = clock
        self._namespace = namespace
        self._slow = slow
        self._kubelet = ScriptedKubelet(client, clock, namespace)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self, job: Object) -> None:
        await make_nodes(self._client)
        await self._client.create(NAMESPACES, {"metadata": {"name": self._namespace}})
        if not self._slow:
            self._tasks.append(asyncio.create_task(self._kubelet.terminate_deleted_pods()))
        await self._client.create(JOBS, job, namespace=self._namespace)
        await self.wait(SETTLE_SECONDS)

    async def clean_up(self) -> None:
        for task in self._tasks:
            task.cancel()
        for pod in await self.pods():
            await self.act(objects.name_of(pod), "force", {})
        await self._client.delete(NAMESPACES, self._namespace)

    async def pods(self) -> list[Object]:
        found = (await self._client.list(PODS, self._namespace)).items
        return sorted(found, key=lambda pod: str(pod["metadata"]["creationTimestamp"]))

    async def job(self) -> Object | None:
        try:
            return await self._client.get(JOBS, NAME, self._namespace)
        except NotFound:
            return None

    async def change(self, spec: Object) -> None:
        await self._client.patch(JOBS, NAME, {"spec": spec}, namespace=self._namespace)

    async def act(self, pod: str, action: str, options: Object) -> None:
        await self._kubelet.act(pod, {"force": "gone"}.get(action, action), options)

    async def wait(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
