"""What both gang schedulers are told of a TrainJob: how many pods it has and what they ask for together (Trainer 2.3).

A PodGroup counts every pod of the TrainJob, initializers included, and is left alone while the TrainJob runs. No gang
scheduler runs here: the object is made so that tools find it, and ``software`` says who does not act on it.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from sidings.api import pod_resources
from sidings.api.objects import Object, controller_ref
from sidings.api.resources import Resource
from sidings.controllers.trainjob.companions import Companion
from sidings.controllers.trainjob.info import RuntimeInfo


def policy_of(info: RuntimeInfo, name: str) -> Object:
    """``spec.podGroupPolicy.<name>`` of the runtime."""
    policy: Object = (info.runtime["spec"].get("podGroupPolicy") or {}).get(name) or {}
    return policy


def companion(info: RuntimeInfo, resource: Resource, spec: Callable[[], Object]) -> Companion:
    """The PodGroup of ``info``; ``spec`` is what the scheduler wants beside members and resources."""

    def make() -> Object:
        return {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": {
                "name": info.job_name,
                "namespace": info.job["metadata"]["namespace"],
                "ownerReferences": [controller_ref(info.job)],
            },
            "spec": {"minMember": members(info), "minResources": resources(info), **spec()},
        }

    return Companion(resource, info.job_name, make, once=not info.job["spec"].get("suspend"))


def members(info: RuntimeInfo) -> int:
    return sum(pod_set.count for pod_set in info.pod_sets)


def resources(info: RuntimeInfo) -> Object:
    """The requests of all pods together."""
    total: dict[str, Decimal] = {}
    for pod_set in info.pod_sets:
        requests = pod_resources.of_spec(pod_set.pod_spec)
        pod_resources.add(total, {name: amount * pod_set.count for name, amount in requests.items()})
    return {name: pod_resources.text_of(name, amount) for name, amount in total.items()}


def mark(info: RuntimeInfo, field: str, key: str) -> None:
    """Write the group's name under ``key`` into ``field`` (labels or annotations) of every pod template."""
    for pod_set in info.pod_sets:
        metadata = pod_set.replicated_job["template"]["spec"]["template"].setdefault("metadata", {})
        metadata[field] = {**(metadata.get(field) or {}), key: info.job_name}
