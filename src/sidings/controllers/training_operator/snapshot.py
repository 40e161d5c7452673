"""What one pass looks at: the job with its defaults, and the pods and Services that are its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.training_operator import defaults, words
from sidings.api.training_operator.framework import Framework


@dataclass(frozen=True)
class Snapshot:
    """``stored`` is the job as the API has it, ``job`` the same with defaults; roles of both are declared in order."""

    framework: Framework
    stored: Object
    job: Object
    pods: tuple[Object, ...]
    services: tuple[Object, ...]

    @staticmethod
    def of(framework: Framework, stored: Object, pods: Iterable[Object], services: Iterable[Object]) -> Snapshot:
        job = defaults.defaulted(framework, stored)
        return Snapshot(framework, stored, job, _owned(stored, pods), _owned(stored, services))

    @property
    def name(self) -> str:
        return objects.name_of(self.job)

    @property
    def namespace(self) -> str:
        return objects.namespace_of(self.job)

    @property
    def run_policy(self) -> Mapping[str, object]:
        policy: Mapping[str, object] = self.job["spec"]["runPolicy"]
        return policy

    @property
    def roles(self) -> dict[str, Object]:
        """role -> replica spec, in the framework's order."""
        return dict(self.framework.roles_of(self.job))

    @property
    def total(self) -> int:
        """Pods of all roles together."""
        return sum(int(replica["replicas"]) for replica in self.roles.values())

    @property
    def leader(self) -> str | None:
        return self.framework.leader_of(self.job)

    def replicas(self, role: str) -> int:
        """Pods that ``role`` asks for; 0 for one that is not declared."""
        return int((self.roles.get(role) or {"replicas": 0})["replicas"])

    def pods_of(self, role: str) -> dict[int, Object]:
        """index -> pod of one role, also those beyond the count and those being deleted."""
        return {index: pod for pod in self.pods if (index := index_of(pod, role)) is not None}

    def services_of(self, role: str) -> dict[int, Object]:
        return {index: service for service in self.services if (index := index_of(service, role)) is not None}

    def port(self, role: str) -> int:
        """The container port with the framework's name, in the main container of ``role``."""
        container = defaults.main_container(self.framework, self.roles[role])
        ports = container.get("ports") or ()
        return next(int(port["containerPort"]) for port in ports if port.get("name") == self.framework.port_name)


def replica_name(job_name: str, role: str, index: int) -> str:
    """``<job>-<role>-<index>``: the pod, its Service and so its address."""
    return f"{job_name}-{role.lower()}-{index}"


def index_of(obj: Object, role: str) -> int | None:
    """The index that ``obj`` has in ``role``; None where it belongs to another role or has none."""
    labels = objects.labels_of(obj)
    text = labels.get(words.REPLICA_INDEX, "")
    return int(text) if labels.get(words.REPLICA_TYPE) == role.lower() and text.isdecimal() else None


def _owned(job: Object, found: Iterable[Object]) -> tuple[Object, ...]:
    uid = objects.uid_of(job)
    return tuple(obj for obj in found if (objects.controller_of(obj) or {}).get("uid") == uid)
