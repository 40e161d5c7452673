"""A job of ``kubeflow.org/v1`` with its pods and Services and no server: what plans ask for happens at once.

A test plays the kubelet: it says in which phase a pod is and how its container ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sidings.api import objects
from sidings.api.objects import Object
from sidings.controllers.training_operator.operator import Operator
from sidings.controllers.training_operator.plan import JobPlan, plan
from sidings.controllers.training_operator.snapshot import Snapshot

START = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
MOST_PASSES = 20
JOB = "x"


def replica(container: str, count: int | None = 1, *, port: Mapping[str, Any] | None = None, **fields: Any) -> Object:
    """A role of ``count`` pods (None: says nothing) with one container; ``fields`` beside ``template``."""
    main: Object = {"name": container, "image": "img:1"} | ({"ports": [dict(port)]} if port else {})
    made: Object = {"template": {"spec": {"containers": [main]}}, **fields}
    return made if count is None else {"replicas": count, **made}


def job_of(operator: Operator, replicas: Mapping[str, Object], **spec: Any) -> Object:
    """A job as the API server has stored it."""
    of = operator.framework
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": of.resource.kind,
        "metadata": {"name": JOB, "namespace": "ns", "uid": "uid-x"},
        "spec": {of.replica_specs: dict(replicas), **spec},
    }


def container_status(name: str, *, code: int | None, restarts: int) -> Object:
    """What a kubelet says of a container that runs, or that ended with ``code``."""
    state = {"running": {}} if code is None else {"terminated": {"exitCode": code}}
    image = {"image": "img:1", "imageID": ""}
    return {"name": name, **image, "ready": code is None, "restartCount": restarts, "state": state}


class Cluster:
    """One job, its pods and Services by name without the job's, and a clock that moves a second with every pass."""

    def __init__(self, operator: Operator, job: Object) -> None:
        self.operator = operator
        self.job = job
        self.pods: dict[str, Object] = {}
        self.services: dict[str, Object] = {}
        self.events: list[tuple[str, str, str]] = []
        self.requeue_after: float | None = None
        self.expired = False
        self.now = START
        self._made = 0

    def settle(self) -> Cluster:
        """Pass after pass, until one changes nothing."""
        for _ in range(MOST_PASSES):
            decided = plan(self.operator, self._snapshot(), self.now)
            if not self._carry_out(decided):
                return self
            self.now += timedelta(seconds=1)
        raise AssertionError("the job does not come to rest")

    def set(self, name: str, phase: str, *, code: int | None = None, restarts: int = 0, deleting: bool = False) -> None:
        """What the kubelet says of a pod; ``code`` is how its main container ended."""
        container = container_status(self.operator.framework.container, code=code, restarts=restarts)
        pod = objects.copy_of(self.pods[name])
        pod["status"] = {"phase": phase, "containerStatuses": [container]}
        if deleting:
            pod["metadata"]["deletionTimestamp"] = "2026-01-01T12:00:00Z"
        self.pods[name] = pod

    def patch(self, **spec: Any) -> Cluster:
        self.job = {**self.job, "spec": {**self.job["spec"], **spec}}
        return self.settle()

    def wait(self, seconds: float) -> Cluster:
        self.now += timedelta(seconds=seconds)
        return self.settle()

    @property
    def status(self) -> Object:
        return self.job.get("status") or {}

    @property
    def conditions(self) -> list[str]:
        """``Running=False/PyTorchJobSuspended`` in their order."""
        return [f"{c['type']}={c['status']}/{c['reason']}" for c in self.status.get("conditions") or ()]

    def message(self, type_: str) -> str:
        return str(next(c["message"] for c in self.status["conditions"] if c["type"] == type_))

    def env(self, name: str, container: int = 0) -> list[tuple[str, str]]:
        """The environment of a container in its order."""
        spec = self.pods[name]["spec"]["containers"][container]
        return [(variable["name"], variable.get("value", "")) for variable in spec.get("env") or ()]

    def reasons(self) -> list[str]:
        return [reason for _, reason, _ in self.events]

    def _snapshot(self) -> Snapshot:
        return Snapshot.of(self.operator.framework, self.job, self.pods.values(), self.services.values())

    def _carry_out(self, decided: JobPlan) -> bool:
        for obj in decided.delete:
            del self._of(obj)[self._short(obj)]
        for obj in decided.create:
            assert self._short(obj) not in self._of(obj), "a taken name"
            self._made += 1
            self._of(obj)[self._short(obj)] = {**obj, "metadata": {**obj["metadata"], "uid": f"made-{self._made}"}}
        if decided.status is not None:
            self.job = {**self.job, "status": decided.status}
        self.events += [(note.type, note.reason, note.message) for note in decided.events]
        self.requeue_after, self.expired = decided.requeue_after, decided.expired
        return bool(decided.delete or decided.create or decided.status is not None)

    def _of(self, obj: Object) -> dict[str, Object]:
        return self.pods if obj["kind"] == "Pod" else self.services

    @staticmethod
    def _short(obj: Object) -> str:
        return objects.name_of(obj).removeprefix(f"{JOB}-")


def started(operator: Operator, replicas: Mapping[str, Object], running: Sequence[str] = (), **spec: Any) -> Cluster:
    """A cluster at rest after the job was created and the pods ``running`` run."""
    made = Cluster(operator, job_of(operator, replicas, **spec)).settle()
    for name in running:
        made.set(name, "Running")
    return made.settle()
