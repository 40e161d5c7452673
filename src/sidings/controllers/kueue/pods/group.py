"""Pods that queue together; a pod without a group is a group of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sidings.api.kueue import keys, pods
from sidings.api.objects import Object, annotations_of, copy_of, is_deleting, labels_of, name_of, uid_of
from sidings.api.pod_phase import has_ended
from sidings.controllers.kueue.jobs import topology_request
from sidings.controllers.kueue.jobs.integration import Outcome, pod_set
from sidings.controllers.kueue.jobs.names import workload_name

MAIN = "main"
FINISHED, FAILED = "Job finished successfully", "Job failed"


@dataclass(frozen=True)
class Group:
    """``name`` is empty for a pod that is alone. ``members`` in the order of their creation."""

    name: str
    members: Sequence[Object]

    @property
    def first(self) -> Object:
        return self.members[0]

    @property
    def queue(self) -> str:
        return labels_of(self.first).get(keys.QUEUE_NAME, "")

    @property
    def total(self) -> int:
        """How many pods it has when it is complete."""
        return 1 if not self.name else max((pods.total_of(pod) or 0 for pod in self.members), default=0)

    @property
    def runnable(self) -> list[Object]:
        """Those that run or may still run."""
        return [pod for pod in self.members if not has_ended(pod) and not is_deleting(pod)]

    @property
    def admits_early(self) -> bool:
        """Whether its quota may be asked for before all of it is there."""
        return annotations_of(self.first).get(keys.POD_GROUP_FAST_ADMISSION) == "true"

    @property
    def workload_name(self) -> str:
        return self.name or workload_name("Pod", "", name_of(self.first), uid_of(self.first))

    @property
    def is_active(self) -> bool:
        return any(not has_ended(pod) and pod["spec"].get("nodeName") for pod in self.members)

    def role(self, pod: Object) -> str:
        """The pod set of ``pod``."""
        return MAIN if not self.name else annotations_of(pod).get(keys.ROLE_HASH) or pods.role_of(pod)

    def excess(self) -> list[Object]:
        """Gated pods that are more than the group has room for, the youngest first to go."""
        return [pod for pod in self.runnable[self.total :] if pods.is_gated(pod)] if self.name else []

    def pod_sets(self) -> list[Object]:
        """One per role, sorted by it."""
        counts: dict[str, int] = {}
        templates: dict[str, Object] = {}
        for pod in (self.runnable or self.members)[: self.total]:
            role = self.role(pod)
            counts[role] = counts.get(role, 0) + 1
            templates.setdefault(role, _template(pod))
        if self.admits_early and len(counts) == 1:
            counts = dict.fromkeys(counts, self.total)
        index = keys.POD_GROUP_INDEX if self.name else ""
        return [
            pod_set(role, counts[role], templates[role], topology_request.of_template(templates[role], index))
            for role in sorted(counts)
        ]

    def outcome(self) -> Outcome | None:
        """How it ended, if it has."""
        if not self.name:
            phase = (self.first.get("status") or {}).get("phase")
            return {"Succeeded": Outcome(True, FINISHED), "Failed": Outcome(False, FAILED)}.get(phase or "")
        succeeded = sum((pod.get("status") or {}).get("phase") == "Succeeded" for pod in self.members)
        given_up = any(has_ended(pod) and not pods.is_retriable(pod) for pod in self.members)
        if succeeded >= self.total or (given_up and not self.runnable):
            return Outcome(succeeded >= self.total, f"Pods succeeded: {succeeded}/{self.total}.")
        return None

    def all_ready(self) -> bool:
        return sum(_is_ready(pod) for pod in self.members) >= self.total

    def reclaimable(self) -> list[Object]:
        """Pods of a group that have succeeded, by role."""
        counts: dict[str, int] = {}
        for pod in self.members if self.name else ():
            if (pod.get("status") or {}).get("phase") == "Succeeded":
                counts[self.role(pod)] = counts.get(self.role(pod), 0) + 1
        return [{"name": role, "count": counts[role]} for role in sorted(counts)]


def _template(pod: Object) -> Object:
    spec = copy_of(pod["spec"])
    spec.pop("schedulingGates", None)
    spec.pop("nodeName", None)
    metadata = {name: copy_of(value) for name in ("labels", "annotations") if (value := pod["metadata"].get(name))}
    return {"metadata": metadata, "spec": spec}


def _is_ready(pod: Object) -> bool:
    status = pod.get("status") or {}
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in status.get("conditions") or ())
    return ready or status.get("phase") == "Succeeded"
