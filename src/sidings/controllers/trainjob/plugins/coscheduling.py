"""``podGroupPolicy.coscheduling``: the PodGroup of Kubernetes' scheduler plug-ins (Trainer 2.3)."""

from __future__ import annotations

from sidings.api.resources import COSCHEDULING_POD_GROUPS
from sidings.controllers.trainjob.companions import Companion
from sidings.controllers.trainjob.info import RuntimeInfo
from sidings.controllers.trainjob.plugins import pod_group

LABEL = "scheduling.x-k8s.io/pod-group"
DEFAULT_SECONDS = 60


def enforce(info: RuntimeInfo) -> None:
    pod_group.mark(info, "labels", LABEL)


def companions(info: RuntimeInfo) -> list[Companion]:
    seconds = pod_group.policy_of(info, "coscheduling").get("scheduleTimeoutSeconds", DEFAULT_SECONDS)
    return [pod_group.companion(info, COSCHEDULING_POD_GROUPS, lambda: {"scheduleTimeoutSeconds": seconds})]
