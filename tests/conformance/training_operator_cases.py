"""Cases of the Training Operator's behaviour as data (``training_operator/*.yaml``), and the two stages for them.

A case is a job and steps. The stage ``Planner`` is the pure plan and nothing else; the stage ``Server`` is any
Kubernetes API with the operator behind it, ours in this process or a cluster without nodes. On both the script is the
kubelet. ``only: server`` says that a case needs what is around the plan: admission, autoscalers, managers, TTL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import yaml

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.patch import merge
from sidings.api.resources import AUTOSCALERS, NAMESPACES, PODS, SERVICES
from sidings.api.status import ApiError, NotFound
from sidings.api.training_operator import words
from sidings.api.training_operator.framework import Framework
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.jaxjob.operator import JaxOperator
from sidings.controllers.paddlejob.operator import PaddleOperator
from sidings.controllers.pytorchjob.operator import PyTorchOperator
from sidings.controllers.tfjob.operator import TensorFlowOperator
from sidings.controllers.training_operator.operator import Operator
from sidings.controllers.xgboostjob.operator import XGBoostOperator
from tests.controllers.training_operator.cluster import JOB, Cluster, container_status, job_of, replica

FOLDER = Path(__file__).with_name("training_operator")
QUIET_SECONDS = 2.0
OPERATORS: Sequence[Operator] = (
    PyTorchOperator(),
    TensorFlowOperator(),
    XGBoostOperator(),
    JaxOperator(),
    PaddleOperator(),
)
ROLES = {
    role.lower(): role
    for role in (words.MASTER, words.WORKER, words.CHIEF, words.PARAMETER_SERVER, words.EVALUATOR, words.LAUNCHER)
}


@dataclass(frozen=True)
class Case:
    name: str
    data: Object

    @property
    def operator(self) -> Operator:
        kind = self.data.get("kind") or "PyTorchJob"
        return next(operator for operator in OPERATORS if operator.framework.resource.kind == kind)

    @property
    def job(self) -> Object:
        """The job, as a user would send it."""
        of = self.operator.framework
        port = {"name": of.port_name, "containerPort": self.data["port"]} if "port" in self.data else None
        policy = {"restartPolicy": self.data["policy"]} if "policy" in self.data else {}
        roles = {
            ROLES[key]: replica(of.container, self.data[key], port=port, **policy) for key in ROLES if key in self.data
        }
        for role in roles.values():
            containers = role["template"]["spec"]["containers"]
            containers[0] |= {"env": self.data["env"]} if "env" in self.data else {}
            containers[0] |= self.data.get("container") or {}
            if self.data.get("no_containers"):
                containers.clear()
            if self.data.get("sidecar"):
                containers.append({"name": "sidecar", "image": "img:1"})
        return objects.copy_of(job_of(self.operator, roles, **self.data.get("spec", {})))

    def is_for(self, stage: str) -> bool:
        return bool(self.data.get("only", stage) == stage)


def load() -> Iterator[Case]:
    for file in sorted(FOLDER.glob("*.yaml")):
        for data in yaml.safe_load(file.read_text()):
            yield Case("-".join((file.stem, *map(str, data["case"]))), data)


@dataclass
class Seen:
    """A job and what belongs to it; pods and Services by name without the job's."""

    job: Object | None
    pods: Mapping[str, Object] = field(default_factory=dict)
    services: Mapping[str, Object] = field(default_factory=dict)
    autoscaler: Object | None = None

    @property
    def status(self) -> Object:
        return (self.job or {}).get("status") or {}

    @property
    def conditions(self) -> list[Object]:
        return self.status.get("conditions") or []

    def env(self, pod: str, container: int = 0) -> dict[str, str]:
        """What the container's process finds: of a variable that is there twice, the last."""
        return {variable["name"]: variable.get("value", "") for variable in self._env(pod, container)}

    def times(self, variable: str) -> list[int]:
        """How often the first container of each pod has ``variable``."""
        return [sum(entry["name"] == variable for entry in self._env(pod, 0)) for pod in self.pods]

    def _env(self, pod: str, container: int) -> Sequence[Object]:
        return self.pods[pod]["spec"]["containers"][container].get("env") or ()


def facts(seen: Seen, expected: Object, remembered: Any) -> Object:
    """The facts that ``expected`` speaks of, as they are."""
    known = {
        "gone": lambda: seen.job is None,
        "autoscaler": lambda: seen.autoscaler is not None,
        "pods": lambda: sorted(seen.pods),
        "services": lambda: sorted(seen.services),
        "service_ports": lambda: sorted({p["port"] for s in seen.services.values() for p in s["spec"]["ports"]}),
        "env": lambda: {
            pod: {name: seen.env(pod).get(name) for name in wanted} for pod, wanted in expected["env"].items()
        },
        "env_order": lambda: {pod: list(seen.env(pod)) for pod in expected["env_order"]},
        "sidecar_env": lambda: {name: seen.env("master-0", 1)[name] for name in expected["sidecar_env"]},
        "no_env": lambda: [name for name in expected["no_env"] if not any(seen.times(name))],
        "once": lambda: expected["once"] if set(seen.times(expected["once"])) == {1} else seen.times(expected["once"]),
        "twice": lambda: (
            expected["twice"] if set(seen.times(expected["twice"])) == {2} else seen.times(expected["twice"])
        ),
        "init": lambda: {pod: len(seen.pods[pod]["spec"].get("initContainers") or ()) for pod in expected["init"]},
        "role": lambda: [pod for pod, obj in seen.pods.items() if words.JOB_ROLE in objects.labels_of(obj)],
        "conditions": lambda: [f"{condition['type']}={condition['status']}" for condition in seen.conditions],
        "reason": lambda: {c["type"]: c["reason"] for c in seen.conditions if c["type"] in expected["reason"]},
        "message": lambda: {c["type"]: c["message"] for c in seen.conditions if c["type"] in expected["message"]},
        "state": lambda: seen.conditions[-1]["type"] if seen.conditions else None,
        "replicas": lambda: {
            role: {key: value for key, value in entry.items() if key not in ("selector", "labelSelector")}
            for role, entry in seen.status["replicaStatuses"].items()
        },
        "started": lambda: "startTime" in seen.status,
        "completed": lambda: "completionTime" in seen.status,
        "same": lambda: seen.status["startTime"] == remembered,
    }
    return {fact: known[fact]() for fact in expected}


class Stage(Protocol):
    """``patch`` and ``start`` say how they were refused, or ``""``; all come back once nothing changes any more."""

    async def start(self, case: Case) -> str: ...

    async def set(self, pod: str, phase: str, code: int | None, restarts: int) -> None: ...

    async def patch(self, spec: Object) -> str: ...

    async def wait(self, seconds: float) -> None: ...

    async def look(self) -> Seen: ...


async def play(case: Case, stage: Stage) -> list[str]:
    """What is not as expected."""
    refusal = await stage.start(case)
    if "refused" in case.data or refusal:
        wanted = case.data.get("refused") or ["accepted"]
        return [f"refusal: {refusal or 'accepted'}" for text in wanted if text not in refusal]
    complaints: list[str] = []
    remembered: Any = None
    for number, step in enumerate(case.data["steps"]):
        if "expect" in step:
            found = facts(await stage.look(), step["expect"], remembered)
            complaints += [
                f"step {number}: {fact} is {found[fact]}, expected {wanted}"
                for fact, wanted in step["expect"].items()
                if found[fact] != wanted
            ]
        elif "remember" in step:
            remembered = (await stage.look()).status[step["remember"]]
        else:
            refusal = await _act(stage, case.operator.framework, step)
            wanted = step.get("refused", "")
            if bool(wanted) != bool(refusal) or wanted not in refusal:
                complaints.append(f"step {number}: refusal {refusal!r}, expected {wanted!r}")
    return complaints


async def _act(stage: Stage, of: Framework, step: Object) -> str:
    match step:
        case {"set": states}:
            for pod, said in states.items():
                phase, code, restarts = (*said.split(), *"~~")[:3]
                number = None if code == "~" else int(code)
                await stage.set(pod, phase, number, int(restarts.replace("~", "0")))
            await stage.wait(0)
            return ""
        case {"patch": spec}:
            return await stage.patch(spec)
        case {"scale": counts}:
            return await stage.patch({of.replica_specs: {role: {"replicas": n} for role, n in counts.items()}})
        case {"wait": seconds}:
            await stage.wait(seconds)
            return ""
        case _:
            raise AssertionError(f"no such step: {step}")


class Planner:
    """The pure plan, pass after pass."""

    async def start(self, case: Case) -> str:
        self._cluster = Cluster(case.operator, case.job).settle()
        return ""

    async def set(self, pod: str, phase: str, code: int | None, restarts: int) -> None:
        self._cluster.set(pod, phase, code=code, restarts=restarts)

    async def patch(self, spec: Object) -> str:
        self._cluster.patch(**merge.apply(self._cluster.job["spec"], spec))
        return ""

    async def wait(self, seconds: float) -> None:
        self._cluster.wait(seconds)

    async def look(self) -> Seen:
        return Seen(self._cluster.job, self._cluster.pods, self._cluster.services)


class Server:
    """Any API with a Training Operator behind it and no nodes; the case has ``namespace`` for itself."""

    def __init__(self, client: Client, clock: Clock, namespace: str) -> None:
        self._client = client
        self._clock = clock
        self._namespace = namespace

    async def start(self, case: Case) -> str:
        self._framework = case.operator.framework
        await self._client.create(NAMESPACES, {"metadata": {"name": self._namespace}})
        job = case.job
        job["metadata"] = {"name": case.data.get("name") or JOB}
        try:
            await self._client.create(self._framework.resource, job, namespace=self._namespace)
        except ApiError as error:
            return error.message
        await self.wait(0)
        return ""

    async def clean_up(self) -> None:
        await self._client.delete(NAMESPACES, self._namespace)

    async def set(self, pod: str, phase: str, code: int | None, restarts: int) -> None:
        status = {
            "phase": phase,
            "containerStatuses": [container_status(self._framework.container, code=code, restarts=restarts)],
        }
        name = f"{JOB}-{pod}"
        await self._client.patch(PODS, name, {"status": status}, namespace=self._namespace, subresource="status")

    async def patch(self, spec: Object) -> str:
        try:
            await self._client.patch(self._framework.resource, JOB, {"spec": spec}, namespace=self._namespace)
        except ApiError as error:
            return error.message
        await self.wait(0)
        return ""

    async def wait(self, seconds: float) -> None:
        await self._clock.sleep(seconds + QUIET_SECONDS)

    async def look(self) -> Seen:
        try:
            job = await self._client.get(self._framework.resource, JOB, self._namespace)
        except NotFound:
            return Seen(None)
        try:
            autoscaler = await self._client.get(AUTOSCALERS, JOB, self._namespace)
        except NotFound:
            autoscaler = None
        selector = f"{words.JOB_NAME}={JOB}"
        pods = (await self._client.list(PODS, self._namespace, label_selector=selector)).items
        services = (await self._client.list(SERVICES, self._namespace, label_selector=selector)).items
        return Seen(job, _by_short_name(pods), _by_short_name(services), autoscaler)


def _by_short_name(found: Sequence[Object]) -> dict[str, Object]:
    return {objects.name_of(obj).removeprefix(f"{JOB}-"): obj for obj in found}
