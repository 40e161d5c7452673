"""Pods that queue by themselves: marks at creation, groups, and what makes two pods the same role.

pkg/controller/jobs/pod (Kueue v0.19).
"""

from __future__ import annotations

import hashlib
import json

from sidings.api.kueue import keys
from sidings.api.objects import Object, annotations_of, labels_of

_SHAPE = ("initContainers", "containers", "nodeSelector", "affinity", "tolerations", "runtimeClassName", "priority")
_CONTAINER = ("image", "resources", "ports")


def hold(pod: Object) -> None:
    """Mark ``pod``, which changes: it does not start before the queue lets it."""
    metadata = pod["metadata"]
    metadata.setdefault("labels", {})[keys.MANAGED] = "true"
    finalizers = metadata.setdefault("finalizers", [])
    if keys.MANAGED not in finalizers:
        finalizers.append(keys.MANAGED)
    gates = pod["spec"].setdefault("schedulingGates", [])
    if not is_gated(pod):
        gates.append({"name": keys.ADMISSION_GATE})
    if group_of(pod):
        metadata.setdefault("annotations", {})[keys.ROLE_HASH] = role_of(pod)


def is_gated(pod: Object) -> bool:
    return any(gate["name"] == keys.ADMISSION_GATE for gate in pod["spec"].get("schedulingGates") or ())


def is_managed(pod: Object) -> bool:
    return labels_of(pod).get(keys.MANAGED) == "true"


def group_of(pod: Object) -> str:
    """The pod group it belongs to; empty for one that is alone."""
    return labels_of(pod).get(keys.POD_GROUP, "")


def total_of(pod: Object) -> int | None:
    """How many pods its group has; None where it does not say."""
    text = annotations_of(pod).get(keys.POD_GROUP_TOTAL, "")
    return int(text) if text.isdigit() and int(text) > 0 else None


def role_of(pod: Object) -> str:
    """8 hexadecimal digits of what decides where a pod can run and what it takes."""
    spec = pod["spec"]
    shape = {name: spec[name] for name in _SHAPE if spec.get(name) is not None}
    for name in ("initContainers", "containers"):
        shape[name] = [{key: c[key] for key in _CONTAINER if key in c} for c in spec.get(name) or ()]
    shape["tolerations"] = [t for t in spec.get("tolerations") or () if not t.get("key", "").startswith("node.kube")]
    return hashlib.sha256(json.dumps(shape, sort_keys=True).encode()).hexdigest()[:8]


def is_retriable(pod: Object) -> bool:
    """Whether another pod may take its place in the group."""
    return annotations_of(pod).get(keys.RETRIABLE_IN_GROUP) != "false"
