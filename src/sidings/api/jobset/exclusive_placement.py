"""Exclusive placement: every Job of a JobSet has a topology domain, such as a rack, for itself.

The pod with index 0 of a Job leads: affinity keeps it away from other Jobs of the same priority. The others follow it
by a node selector on its node's domain, so they can be created only once it is scheduled. (Upstream's pod webhooks;
with the annotation ``node-selector`` labels and taints on nodes do the work instead, and nothing here applies.)
"""

from __future__ import annotations

from collections.abc import Iterable

from sidings.api import objects
from sidings.api.job.labels import COMPLETION_INDEX
from sidings.api.jobset import labels
from sidings.api.objects import Object

NO_SELECTOR = "follower pod node selector not set"
UNSCHEDULED = "leader pod not yet scheduled, not creating follower pod. this is an expected, transient error"


def topology_key(pod: Object) -> str:
    """The node label whose domains are exclusive; ``""`` for a pod to which exclusive placement does not apply."""
    annotations = objects.annotations_of(pod)
    return "" if labels.NODE_SELECTOR in annotations else annotations.get(labels.EXCLUSIVE_TOPOLOGY, "")


def is_leader(pod: Object) -> bool:
    return objects.annotations_of(pod).get(COMPLETION_INDEX) == "0"


def lead(pod: Object) -> None:
    """Require of the leader's domain that no other Job of its priority is there; changes ``pod``."""
    affinity = pod["spec"].setdefault("affinity", {})
    key = objects.labels_of(pod)[labels.JOB_KEY]
    own: Object = {"key": labels.JOB_KEY, "operator": "In", "values": [key]}
    others: list[Object] = [
        {"key": labels.JOB_KEY, "operator": "Exists"},
        {"key": labels.JOB_KEY, "operator": "NotIn", "values": [key]},
        {"key": labels.PRIORITY, "operator": "In", "values": [objects.labels_of(pod)[labels.PRIORITY]]},
    ]
    _require(affinity, "podAffinity", [own], topology_key(pod))
    _require(affinity, "podAntiAffinity", others, topology_key(pod))


def leaders_of(pod: Object, all_pods: Iterable[Object]) -> list[Object]:
    """The leading pods of the follower's Job that have not ended and are not to end."""
    key = objects.labels_of(pod)[labels.JOB_KEY]
    return [
        other
        for other in all_pods
        if objects.labels_of(other).get(labels.JOB_KEY) == key
        and is_leader(other)
        and not objects.is_deleting(other)
        and (other.get("status") or {}).get("phase") not in ("Failed", "Succeeded")
    ]


def follow(pod: Object, leaders_node: Object) -> None:
    """Send the follower to the domain of ``leaders_node``; changes ``pod``."""
    key = topology_key(pod)
    domain = objects.labels_of(leaders_node).get(key)
    if domain is not None:
        pod["spec"].setdefault("nodeSelector", {})[key] = domain


def complaint(pod: Object, leaders: list[Object]) -> str:
    """Why the follower may not be created (yet); ``""`` if it may."""
    selector, key = pod["spec"].get("nodeSelector"), topology_key(pod)
    if selector is None:
        return NO_SELECTOR
    if key not in selector:
        return f"follower pod node selector for topology domain not found. missing selector: {key}"
    if len(leaders) != 1:
        what = f"expected 1 leader pod ({objects.labels_of(pod)[labels.JOB_KEY]}), but got {len(leaders)}"
        return f"{what}. this is an expected, transient error"
    if not leaders[0]["spec"].get("nodeName"):
        return UNSCHEDULED
    mine, its = _owner_uid(pod), _owner_uid(leaders[0])
    return "" if mine == its else f"follower pod owner UID ({mine}) != leader pod owner UID ({its})"


def _owner_uid(pod: Object) -> str:
    return str((objects.controller_of(pod) or {}).get("uid") or "")


def _require(affinity: Object, kind: str, expressions: list[Object], key: str) -> None:
    term = {"labelSelector": {"matchExpressions": expressions}, "topologyKey": key, "namespaceSelector": {}}
    required = affinity.setdefault(kind, {}).setdefault("requiredDuringSchedulingIgnoredDuringExecution", [])
    required.append(term)
