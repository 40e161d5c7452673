"""``topologyRequest`` of a pod set: what the annotations of its template ask, and which labels number its pods.

pkg/controller/jobframework/tas.go (Kueue v0.19).
"""

from __future__ import annotations

from typing import Any

from sidings.api.kueue import keys, topology_annotations
from sidings.api.objects import Object, annotations_of
from sidings.controllers.kueue.jobs.integration import BuildError


def of_template(template: Object, pod_index: str, sub_group: str = "", sub_groups: int | None = None) -> Object:
    """The request; without topology annotations only the labels by which pods are numbered.

    Raises ``BuildError`` for slices that cannot be read: a TrainJob's runtime passes no webhook of the queue.
    """
    found = annotations_of(template)
    request: dict[str, Any] = {"podIndexLabel": pod_index} if pod_index else {}
    if sub_group:
        request |= {"subGroupIndexLabel": sub_group, "subGroupCount": sub_groups}
    for key, name in (
        (keys.REQUIRED_TOPOLOGY, "required"),
        (keys.PREFERRED_TOPOLOGY, "preferred"),
        (keys.POD_SET_GROUP, "podSetGroupName"),
        (keys.SLICE_REQUIRED_TOPOLOGY, "podSetSliceRequiredTopology"),
    ):
        if key in found:
            request[name] = found[key]
    if keys.UNCONSTRAINED_TOPOLOGY in found:
        request["unconstrained"] = found[keys.UNCONSTRAINED_TOPOLOGY] == "true"
    if found.get(keys.SLICE_SIZE, "").isdigit():
        request["podSetSliceSize"] = int(found[keys.SLICE_SIZE])
    if keys.SLICE_CONSTRAINTS in found:
        try:
            slices = topology_annotations.constraints(found[keys.SLICE_CONSTRAINTS])
        except ValueError as error:
            raise BuildError(f"annotation {keys.SLICE_CONSTRAINTS}: {error}") from error
        request["podsetSliceRequiredTopologyConstraints"] = slices
    return request
