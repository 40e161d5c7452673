"""Queues and workloads as objects, in the fewest words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sidings.api import timestamps
from sidings.api.objects import Object
from sidings.queue.topology.domains import HOSTNAME

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def flavor(name: str = "default", **spec: Any) -> Object:
    return {"kind": "ResourceFlavor", "metadata": {"name": name}, "spec": spec}


def quotas(cpu: Mapping[str, Mapping[str, str] | str]) -> list[Object]:
    """One resource group with cpu only; values are nominal quotas or all three numbers."""
    flavors = []
    for name, quota in cpu.items():
        numbers = {"nominalQuota": quota} if isinstance(quota, str) else dict(quota)
        flavors.append({"name": name, "resources": [{"name": "cpu", **numbers}]})
    return [{"coveredResources": ["cpu"], "flavors": flavors}]


def cluster_queue(name: str, cpu: Mapping[str, Mapping[str, str] | str] | str = "4", **spec: Any) -> Object:
    groups = quotas({"default": cpu} if isinstance(cpu, str) else cpu)
    return {
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": {"resourceGroups": groups, "namespaceSelector": {}, **spec},
    }


def cohort(name: str, parent: str = "", cpu: Mapping[str, Mapping[str, str] | str] | None = None) -> Object:
    return {
        "kind": "Cohort",
        "metadata": {"name": name},
        "spec": {"parentName": parent, "resourceGroups": quotas(cpu) if cpu else []},
    }


def topology(*levels: str) -> Object:
    return {"kind": "Topology", "metadata": {"name": "tp"}, "spec": {"levels": [{"nodeLabel": it} for it in levels]}}


def node(name: str, cpu: str, pods: str = "99", **labels: str) -> Object:
    """A node that is ready, and carries its name as the label of hosts beside ``labels``."""
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": {**labels, HOSTNAME: name}},
        "spec": {},
        "status": {
            "allocatable": {"cpu": cpu, "pods": pods},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def workload(
    name: str, cpu: str = "1", *, queue: str = "q", count: int = 1, priority: int = 0, age: int = 0, **more: Any
) -> Object:
    """``age`` is in seconds: larger is older. ``more`` goes to its one pod set."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    pod_set = {"name": "main", "count": count, "template": {"spec": {"containers": [container]}}, **more}
    return {
        "kind": "Workload",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"u-{name}",
            "creationTimestamp": timestamps.to_text(BEGIN - timedelta(seconds=age)),
        },
        "spec": {"queueName": queue, "priority": priority, "podSets": [pod_set]},
        "status": {},
    }


def admitted(obj: Object, cluster_queue: str, flavor_name: str = "default", *, since: int = 0) -> Object:
    """``obj`` with the quota it asks for, reserved ``since`` seconds after the beginning."""
    [pod_set] = obj["spec"]["podSets"]
    requests = pod_set["template"]["spec"]["containers"][0]["resources"]["requests"]
    moment = timestamps.to_text(BEGIN + timedelta(seconds=since))
    return {
        **obj,
        "status": {
            "admission": {
                "clusterQueue": cluster_queue,
                "podSetAssignments": [
                    {
                        "name": "main",
                        "count": pod_set["count"],
                        "flavors": {"cpu": flavor_name},
                        "resourceUsage": {"cpu": str(int(requests["cpu"]) * pod_set["count"])},
                    }
                ],
            },
            "conditions": [{"type": "QuotaReserved", "status": "True", "lastTransitionTime": moment}],
        },
    }
