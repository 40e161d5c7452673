"""What the manifests of one call bring along counts as there for the jobs among them: queues, claims, runtimes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sidings.answers.surroundings import Surroundings
from sidings.api import catalog
from sidings.api.objects import Object, copy_of, name_of, namespace_of
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, TRAIN_JOBS
from sidings.api.trainer import runtimes
from sidings.client.interface import Client
from sidings.host.surroundings import OWN, SHARED

KINDS = frozenset(resource.kind for resource in (*SHARED, *OWN))

_ACTIVE = {"type": "Active", "status": "True", "reason": "Active", "message": "its controller is taken to be there"}


def added(around: Surroundings, brought: Iterable[Object], namespace: str) -> Surroundings:
    """``around`` with ``brought`` in the place of what is called the same; ``namespace`` for objects without one."""
    namespaced = {resource.kind for resource in (*SHARED, *OWN) if resource.namespaced}
    objects = {kind: list(items) for kind, items in around.objects.items()}
    for obj in brought:
        if obj["kind"] not in KINDS:
            continue
        made = _as_stored(obj)
        if made["kind"] in namespaced:
            made["metadata"] = {"namespace": namespace, **made["metadata"]}
        if made["kind"] == "AdmissionCheck":
            made["status"] = {"conditions": [_ACTIVE]}
        there = objects.setdefault(made["kind"], [])
        same = (name_of(made), namespace_of(made))
        there[:] = [other for other in there if (name_of(other), namespace_of(other)) != same]
        there.append(made)
    return replace(around, objects=objects)


def _as_stored(obj: Object) -> Object:
    """In the version that answers read."""
    kind = catalog.builtin().by_api_version(obj["apiVersion"], obj["kind"])
    made = copy_of(obj)
    return made if kind is None or kind.conversion is None else kind.conversion.to_stored(made)


def runtime_of(job: Object, brought: Sequence[Object]) -> Object | None:
    """The runtime of a TrainJob among ``brought``; None for other kinds."""
    ref = (job.get("spec") or {}).get("runtimeRef") or {}
    if job["kind"] != TRAIN_JOBS.kind or not ref.get("name"):
        return None
    kind = ref.get("kind") or CLUSTER_TRAINING_RUNTIMES.kind
    return next((obj for obj in brought if obj["kind"] == kind and name_of(obj) == ref["name"]), None)


async def stand_in(client: Client, runtime: Object) -> Object | None:
    """``runtimeRef`` of a runtime that the server has, to try a job with whose own is to come; None for none.

    One of the same machine-learning policy, so that the rules of that are applied.
    """
    there = (await client.list(CLUSTER_TRAINING_RUNTIMES)).items
    policy = _policy(runtime)
    best = sorted(there, key=lambda other: (_policy(other) != policy, name_of(other)))
    if not best:
        return None
    resource = CLUSTER_TRAINING_RUNTIMES
    return {"apiGroup": resource.group, "kind": resource.kind, "name": name_of(best[0])}


def _policy(runtime: Object) -> list[str]:
    return sorted(set(runtimes.ml_policy(runtime) or {}) - {"numNodes"})
