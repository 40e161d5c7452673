"""``podGroupPolicy.volcano``: the PodGroup of the Volcano scheduler (Trainer 2.3).

Its queue is an annotation of the JobSet, its priority class that of the first pod template that names one.
"""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.resources import VOLCANO_POD_GROUPS
from sidings.api.trainer import words
from sidings.controllers.trainjob.companions import Companion
from sidings.controllers.trainjob.info import RuntimeInfo
from sidings.controllers.trainjob.plugins import pod_group

ANNOTATION = "scheduling.k8s.io/group-name"


def enforce(info: RuntimeInfo) -> None:
    pod_group.mark(info, "annotations", ANNOTATION)


def companions(info: RuntimeInfo) -> list[Companion]:
    return [pod_group.companion(info, VOLCANO_POD_GROUPS, lambda: _spec(info))]


def _spec(info: RuntimeInfo) -> Object:
    spec: Object = {}
    if queue := (info.template["metadata"].get("annotations") or {}).get(words.VOLCANO_QUEUE):
        spec["queue"] = queue
    classes = (pod_set.pod_spec.get("priorityClassName") for pod_set in info.pod_sets)
    if priority_class := next(filter(None, classes), None):
        spec["priorityClassName"] = priority_class
    if topology := pod_group.policy_of(info, "volcano").get("networkTopology"):
        spec["networkTopology"] = topology
    return spec
