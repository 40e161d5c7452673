"""A stream of jobs and the queues they meet, read from objects: what ``sidings queue simulate`` plays.

Queues are Kueue's own objects of either version, as manifests or as ``kubectl get cq,lq,cohort,rf -o yaml`` prints
them.
Jobs are entries of documents of ``kind: JobStream``::

    apiVersion: sidings.dev/v1alpha1
    kind: JobStream
    metadata: {name: week}
    jobs:
    - name: tune
      queue: team-a/lq          # namespace/LocalQueue
      pods: 4
      requests: {cpu: "2", nvidia.com/gpu: "1"}     # of each pod
      runtime: 30m              # from admission to end
      priority: 0
      arrives: 0s               # the first of them
      count: 20
      every: 5m                 # between two of them

The ConfigMap ``kueue-manager-config`` says whether shares or past use decide, as it does in a cluster.
A Workload object that was never admitted may stand for a job as well; it arrives at once and runs for an hour.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sidings.api import catalog
from sidings.api.kueue import configuration
from sidings.api.kueue.configuration import Configuration, ConfigurationError
from sidings.api.objects import Object, name_of, namespace_of
from sidings.queue import workloads
from sidings.queue.simulation import Arrival

KIND = "JobStream"
USUAL_RUNTIME = 3600.0
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_FIELDS = frozenset({"name", "queue", "pods", "requests", "runtime", "priority", "arrives", "count", "every"})
_REQUIRED = ("name", "queue", "requests", "runtime")
_CREATED = "2026-01-01T00:00:00Z"


class StreamError(ValueError):
    """What cannot be played, in one line that names the entry."""


class Play(NamedTuple):
    """Everything that a simulation starts from. ``objects`` are stored forms, without Workloads."""

    objects: list[Object]
    arrivals: list[Arrival]
    configuration: Configuration = Configuration()


def read(documents: Iterable[Object]) -> Play:
    """Raises ``StreamError``."""
    objects, streams, waiting, settings = [], [], [], Configuration()
    for document in _flattened(documents):
        kind = document.get("kind")
        if kind == KIND:
            streams.append(document)
        elif kind == "Workload":
            waiting.append(_stored(document))
        elif kind == "ConfigMap" and name_of(document) == configuration.NAME:
            settings = _configuration(document)
        elif kind is not None:
            objects.append(_stored(document))
    queues = {
        f"{namespace_of(obj) or 'default'}/{name_of(obj)}": str(obj["spec"].get("clusterQueue") or "")
        for obj in objects
        if obj["kind"] == "LocalQueue"
    }
    known = {name_of(obj) for obj in objects if obj["kind"] == "ClusterQueue"}
    if not known:
        raise StreamError("there is no ClusterQueue")
    arrivals = [
        arrival for stream in streams for entry in stream.get("jobs") or () for arrival in _jobs(entry, queues, known)
    ]
    arrivals += [_workload(obj, queues, known) for obj in waiting]
    if not arrivals:
        raise StreamError(f"there are no jobs: a document of kind {KIND} has them")
    return Play([*objects, *_namespaces(objects, arrivals)], arrivals, settings)


def _configuration(config_map: Object) -> Configuration:
    try:
        return configuration.of_config_map(config_map)
    except ConfigurationError as error:
        raise StreamError(f"ConfigMap {configuration.NAME}: {error}") from error


def seconds(text: Any) -> float:
    """``1h30m`` or a number of seconds. Raises ``StreamError``."""
    if isinstance(text, int | float) and not isinstance(text, bool) and text >= 0:
        return float(text)
    parts = _DURATION.findall(str(text))
    if not parts or "".join(number + unit for number, unit in parts) != str(text):
        raise StreamError(f'{text!r} is no duration: write "90s", "30m" or "1h30m"')
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _flattened(documents: Iterable[Object]) -> Iterator[Object]:
    for document in documents:
        if str(document.get("kind") or "").endswith("List") and "items" in document:
            yield from document["items"]
        else:
            yield document


def _stored(obj: Object) -> Object:
    """``obj`` as v1beta2, if it is one of Kueue's kinds."""
    kind = catalog.builtin().by_api_version(str(obj.get("apiVersion") or ""), str(obj.get("kind") or ""))
    return kind.conversion.to_stored(obj) if kind is not None and kind.conversion is not None else obj


def _jobs(entry: Object, queues: dict[str, str], known: set[str]) -> Iterator[Arrival]:
    name = entry.get("name") or "?"
    if unknown := sorted(set(entry) - _FIELDS):
        raise StreamError(f"job {name}: unknown field {unknown[0]}; there are {', '.join(sorted(_FIELDS))}")
    if missing := [field for field in _REQUIRED if field not in entry]:
        raise StreamError(f"job {name}: {missing[0]} is missing")
    cluster_queue = _queue_of(str(entry["queue"]), name, queues, known)
    try:
        first, every, runtime = (seconds(entry.get(field, 0)) for field in ("arrives", "every", "runtime"))
    except StreamError as error:
        raise StreamError(f"job {name}: {error}") from error
    for index in range(int(entry.get("count", 1))):
        workload = workloads.of_object(_object(entry, f"{name}-{index + 1}"))
        yield Arrival(first + index * every, workload, cluster_queue, runtime, name)


def _object(entry: Object, name: str) -> Object:
    namespace, _, queue = str(entry["queue"]).rpartition("/")
    container = {"name": "c", "resources": {"requests": entry["requests"]}}
    pod_set = {"name": "main", "count": int(entry.get("pods", 1)), "template": {"spec": {"containers": [container]}}}
    return {
        "metadata": {"name": name, "namespace": namespace or "default", "uid": name, "creationTimestamp": _CREATED},
        "spec": {"queueName": queue, "priority": int(entry.get("priority", 0)), "podSets": [pod_set]},
    }


def _workload(obj: Object, queues: dict[str, str], known: set[str]) -> Arrival:
    name = name_of(obj)
    metadata = {"uid": name, "creationTimestamp": _CREATED, "namespace": "default", **obj["metadata"]}
    local = f"{metadata['namespace']}/{obj['spec'].get('queueName') or ''}"
    fresh = {**obj, "metadata": metadata, "status": {}}
    return Arrival(0.0, workloads.of_object(fresh), _queue_of(local, name, queues, known), USUAL_RUNTIME, name)


def _queue_of(local: str, name: str, queues: dict[str, str], known: set[str]) -> str:
    local = local if "/" in local else f"default/{local}"
    if local not in queues:
        there = ", ".join(sorted(queues)) or "none"
        raise StreamError(f"job {name}: there is no LocalQueue {local}; there are {there}")
    if queues[local] not in known:
        raise StreamError(f"LocalQueue {local}: there is no ClusterQueue {queues[local]}")
    return queues[local]


def _namespaces(objects: Iterable[Object], arrivals: Iterable[Arrival]) -> Iterator[Object]:
    """Namespaces that are not among ``objects``: with no label but their name."""
    known = {name_of(obj) for obj in objects if obj["kind"] == "Namespace"}
    for name in sorted({arrival.workload.namespace for arrival in arrivals} - known):
        yield {"kind": "Namespace", "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}}}
