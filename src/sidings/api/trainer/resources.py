"""How many GPUs and CPUs one node of a TrainJob is given, as far as Trainer counts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidings.api import quantity
from sidings.api.objects import Object
from sidings.api.trainer import runtimes, words


def resources_per_node(job: Mapping[str, Any], runtime: Mapping[str, Any]) -> Object:
    """The ResourceRequirements that process counts go by: the TrainJob's own if it has any, else the runtime's.

    Upstream takes the one or the other, not the merged value that the pods get (kubeflow/trainer#3974).
    """
    own: Object | None = ((job.get("spec") or {}).get("trainer") or {}).get("resourcesPerNode")
    if own is not None:
        return own
    for replicated_job in runtimes.training_jobs(runtimes.template_of(runtime)):
        node = runtimes.named(runtimes.containers_of(replicated_job), words.NODE)
        if node and node.get("resources"):
            return dict(node["resources"])
    return {}


def gpus_of(resources: Mapping[str, Any]) -> int:
    """GPUs: every resource whose name contains ``gpu``; requests first, limits where they ask for none.

    MIG slices (``nvidia.com/mig-...``) do not count.
    """
    for field in ("requests", "limits"):
        count = sum(
            quantity.units(amount) for name, amount in (resources.get(field) or {}).items() if "gpu" in name.lower()
        )
        if count:
            return count
    return 0


def cpus_of(resources: Mapping[str, Any]) -> int:
    """CPUs rounded up to whole ones: requests first, limits where the request is zero; 0 where neither says."""
    for field in ("requests", "limits"):
        amount = (resources.get(field) or {}).get("cpu")
        if amount is not None and (cpus := quantity.units(amount)):
            return cpus
    return 0
