"""What the API server adds to every new pod: a priority and two tolerations.

Upstream these are the plug-ins Priority and DefaultTolerationSeconds (v1.36). The service account, which every pod gets
too, is in ``service_accounts``.
"""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.resources import PODS, PRIORITY_CLASSES
from sidings.api.status import Forbidden, NotFound
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request

DEFAULT_PRIORITY = 0
PREEMPT = "PreemptLowerPriority"
SYSTEM_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""Classes that every cluster has."""

DEFAULT_TOLERATION_SECONDS = 300
EVICTING_TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


class PodPriority(Plugin):
    """``spec.priority`` and ``spec.preemptionPolicy`` from the pod's class, the default class, or 0."""

    def admit(self, request: Request, reader: Reader) -> None:
        if request.concerns(PODS, Operation.UPDATE) and request.old is not None:
            for field in ("priority", "preemptionPolicy"):
                if field in request.old["spec"]:
                    request.new["spec"].setdefault(field, request.old["spec"][field])
            return
        if not request.concerns(PODS, Operation.CREATE):
            return
        spec = request.new["spec"]
        name, priority, policy = _class_of(request, reader)
        if name:
            spec["priorityClassName"] = name
        if spec.get("priority", priority) != priority:
            raise _forbidden(
                request,
                f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; priority "
                f"admission controller computed {priority} from the given PriorityClass name",
            )
        spec["priority"] = priority
        spec.setdefault("preemptionPolicy", policy)


def _class_of(request: Request, reader: Reader) -> tuple[str, int, str]:
    """Name, value and preemption policy of the class that counts for this pod."""
    name = request.new["spec"].get("priorityClassName") or ""
    if not name:
        defaults = [each for each in reader.list(PRIORITY_CLASSES) if each.get("globalDefault")]
        if not defaults:
            return "", DEFAULT_PRIORITY, PREEMPT
        lowest = min(defaults, key=lambda each: each["value"])
        return lowest["metadata"]["name"], lowest["value"], lowest.get("preemptionPolicy") or PREEMPT
    if name in SYSTEM_PRIORITIES:
        return name, SYSTEM_PRIORITIES[name], PREEMPT
    try:
        found = reader.get(PRIORITY_CLASSES, name)
    except NotFound as error:
        raise _forbidden(request, f"no PriorityClass with name {name} was found") from error
    return name, found["value"], found.get("preemptionPolicy") or PREEMPT


class DefaultTolerations(Plugin):
    """A node that fails keeps its pods for five minutes, unless they say otherwise."""

    def admit(self, request: Request, reader: Reader) -> None:
        if not request.concerns(PODS, Operation.CREATE):
            return
        spec = request.new["spec"]
        tolerations = list(spec.get("tolerations") or ())
        for taint in EVICTING_TAINTS:
            if not any(_answers(toleration, taint) for toleration in tolerations):
                tolerations.append(
                    {
                        "key": taint,
                        "operator": "Exists",
                        "effect": "NoExecute",
                        "tolerationSeconds": DEFAULT_TOLERATION_SECONDS,
                    }
                )
        spec["tolerations"] = tolerations


def _answers(toleration: Object, taint: str) -> bool:
    return toleration.get("key") in (taint, "", None) and toleration.get("effect") in ("NoExecute", "", None)


def _forbidden(request: Request, reason: str) -> Forbidden:
    return Forbidden(f'pods "{request.name}" is forbidden: {reason}', name=request.name, kind=PODS.plural)
