"""What an admission puts into the pod templates of a job, and how a template gets back what it was.

Additions only: a key that the job has set to another value is a conflict that no retry mends
(pkg/podset/podset.go, Kueue v0.19).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sidings.api import names
from sidings.api.kueue import keys
from sidings.api.objects import Object, copy_of


class PodSetConflict(Exception):
    """The job cannot be started as admitted; says why in upstream's words."""


@dataclass
class PodSetInfo:
    """The additions for one pod set. ``count`` is how many pods were admitted."""

    name: str
    count: int
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    node_selector: dict[str, str] = field(default_factory=dict)
    tolerations: list[Object] = field(default_factory=list)
    gates: list[Object] = field(default_factory=list)


def of_admission(workload: Object, flavors: Mapping[str, Object]) -> list[PodSetInfo]:
    """The additions for each pod set of an admitted ``workload``. ``flavors``: ResourceFlavors by name.

    Raises ``PodSetConflict`` where flavors or checks want different things, ``KeyError`` for a flavor that is gone.
    """
    infos = []
    admission = workload["status"]["admission"]
    for assignment in admission["podSetAssignments"]:
        info = PodSetInfo(assignment["name"], assignment["count"])
        info.annotations[keys.WORKLOAD] = workload["metadata"]["name"]
        info.labels[keys.POD_SET] = assignment["name"]
        queues = (
            (keys.LOCAL_QUEUE, workload["spec"].get("queueName")),
            (keys.CLUSTER_QUEUE, admission["clusterQueue"]),
        )
        info.labels |= {key: name for key, name in queues if name and not names.label_value(name)}
        if assignment.get("topologyAssignment"):
            info.gates.append({"name": keys.TOPOLOGY_GATE})
        for flavor in dict.fromkeys((assignment.get("flavors") or {}).values()):
            spec = flavors[flavor].get("spec") or {}
            _merge("nodeSelector", info.node_selector, spec.get("nodeLabels") or {})
            _extend(info.tolerations, spec.get("tolerations") or ())
        for check in workload["status"].get("admissionChecks") or ():
            for update in check.get("podSetUpdates") or ():
                if update["name"] == info.name:
                    _add(info, update)
        infos.append(info)
    return infos


def _add(info: PodSetInfo, update: Object) -> None:
    _merge("labels", info.labels, update.get("labels") or {})
    _merge("annotations", info.annotations, update.get("annotations") or {})
    _merge("nodeSelector", info.node_selector, update.get("nodeSelector") or {})
    _extend(info.tolerations, update.get("tolerations") or ())


def apply(template: Object, info: PodSetInfo) -> None:
    """Put ``info`` into ``template``, which changes. Raises ``PodSetConflict``."""
    metadata, spec = template.setdefault("metadata", {}), template.setdefault("spec", {})
    for field_name, holder, more in (
        ("labels", metadata, info.labels),
        ("annotations", metadata, info.annotations),
        ("nodeSelector", spec, info.node_selector),
    ):
        if more:
            merged = dict(holder.get(field_name) or {})
            _merge(field_name, merged, more)
            holder[field_name] = merged
    for field_name, additions in (("tolerations", info.tolerations), ("schedulingGates", info.gates)):
        if additions:
            merged_list = list(spec.get(field_name) or ())
            _extend(merged_list, additions)
            spec[field_name] = merged_list


def restore(template: Object, original: Object, keep_labels: tuple[str, ...] = ()) -> None:
    """Give ``template``, which changes, the parts of ``original`` that an admission adds to.

    ``keep_labels`` are the job controller's own and stay as they are.
    """
    metadata, spec = template.setdefault("metadata", {}), template.setdefault("spec", {})
    before = original.get("metadata") or {}
    labels = dict(before.get("labels") or {})
    kept = metadata.get("labels") or {}
    labels |= {key: kept[key] for key in keep_labels if key in kept}
    _set(metadata, "labels", labels)
    _set(metadata, "annotations", copy_of(before.get("annotations")))
    for field_name in ("nodeSelector", "tolerations", "schedulingGates"):
        _set(spec, field_name, copy_of((original.get("spec") or {}).get(field_name)))


def _set(holder: Object, name: str, value: object) -> None:
    if value:
        holder[name] = value
    else:
        holder.pop(name, None)


def _merge(name: str, into: dict[str, str], more: Mapping[str, str]) -> None:
    for key, value in more.items():
        if into.get(key, value) != value:
            raise PodSetConflict(f"conflict for {name}: conflict for key={key}, value1={into[key]}, value2={value}")
        into[key] = value


def _extend(into: list[Object], more: object) -> None:
    assert isinstance(more, list | tuple), "lists of a pod spec"
    into += [copy_of(entry) for entry in more if entry not in into]
