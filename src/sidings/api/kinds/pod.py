"""Pod: containers that run together on one node.

What may change after creation is little (``ValidatePodUpdate``, Kubernetes v1.36): the images, a shorter life, more
tolerations, and scheduling constraints while a scheduling gate holds the pod. Columns are in ``pod_columns``.
"""

from __future__ import annotations

from typing import Any

from sidings.api import pod_resources, schemas
from sidings.api.fields import FieldError, forbidden
from sidings.api.kind import Kind, Rules
from sidings.api.kinds.pod_columns import COLUMNS
from sidings.api.kinds.pod_spec import default_pod_spec, validate_pod_spec
from sidings.api.objects import Object
from sidings.api.pod_phase import has_ended
from sidings.api.resources import PODS

DEFAULT_GRACE_SECONDS = 30

IMMUTABLE = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
TOLERATIONS = "existing toleration can not be modified except its tolerationSeconds"
GATED = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "SchedulingGated",
    "message": "Scheduling is blocked due to non-empty scheduling gates",
}
"""The condition of a pod that waits for its scheduling gates to be removed."""
GATES = "only deletion is allowed, but found new scheduling gate"


class PodRules(Rules):
    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        default_pod_spec(spec)
        spec.setdefault("enableServiceLinks", True)
        # Only in pods, never in templates: a limit alone is a request too.
        for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
            limits = container["resources"].get("limits")
            if limits:
                container["resources"]["requests"] = {**limits, **(container["resources"].get("requests") or {})}

    def default_on_create(self, obj: Object) -> None:
        obj["status"] = {"phase": "Pending", "qosClass": pod_resources.qos_class(obj["spec"])}
        if obj["spec"].get("schedulingGates"):
            obj["status"]["conditions"] = [{**GATED, "lastTransitionTime": obj["metadata"]["creationTimestamp"]}]

    def prepare_for_update(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]

    def validate(self, obj: Object) -> list[FieldError]:
        return validate_pod_spec(obj["spec"], "spec")

    def validate_create(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        errors = []
        if spec.get("ephemeralContainers"):
            errors.append(forbidden("spec.ephemeralContainers", "cannot be set on create"))
        if spec.get("nodeName") and spec.get("schedulingGates"):
            errors.append(forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"))
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        before, after = old["spec"], new["spec"]
        errors = _toleration_errors(before, after) + _gate_errors(before, after)
        if _frozen(after, before) != _frozen(before, before):
            errors.append(forbidden("spec", IMMUTABLE))
        return errors

    def grace_period(self, obj: Object, requested: int | None) -> int | None:
        """None where nothing runs: a pod that no node has taken or that has ended goes at once."""
        spec = obj["spec"]
        if not spec.get("nodeName") or has_ended(obj):
            return 0
        seconds = requested
        if seconds is None:
            seconds = spec.get("terminationGracePeriodSeconds", DEFAULT_GRACE_SECONDS)
        return 1 if seconds < 0 else seconds


def _frozen(spec: Object, old: Object) -> Object:
    """What must not change: the spec without its mutable fields."""
    mutable = {"activeDeadlineSeconds", "tolerations", "schedulingGates"}
    if old.get("terminationGracePeriodSeconds", 0) < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        mutable.add("terminationGracePeriodSeconds")
    if old.get("schedulingGates"):
        mutable |= {"nodeSelector", "affinity"}
    frozen = {field: value for field, value in spec.items() if field not in mutable}
    for field in ("containers", "initContainers"):
        if field in spec:
            frozen[field] = [{**container, "image": ""} for container in spec[field]]
    return frozen


def _toleration_errors(before: Object, after: Object) -> list[FieldError]:
    def identity(toleration: Object) -> Any:
        return {field: value for field, value in toleration.items() if field != "tolerationSeconds"}

    kept = [identity(toleration) for toleration in after.get("tolerations") or ()]
    if all(identity(toleration) in kept for toleration in before.get("tolerations") or ()):
        return []
    return [forbidden("spec.tolerations", TOLERATIONS)]


def _gate_errors(before: Object, after: Object) -> list[FieldError]:
    old = {gate["name"] for gate in before.get("schedulingGates") or ()}
    return [
        forbidden(f"spec.schedulingGates[{index}]", f'{GATES} "{gate["name"]}"')
        for index, gate in enumerate(after.get("schedulingGates") or ())
        if gate["name"] not in old
    ]


KIND = Kind(
    resource=PODS,
    singular="pod",
    schema=schemas.schema(PODS.group, PODS.version, PODS.kind),
    builtin=True,
    rules=PodRules(),
    short_names=("po",),
    categories=("all",),
    subresources=frozenset({"status", "log", "binding", "eviction", "attach", "exec", "portforward"}),
    columns=COLUMNS,
    field_labels={
        label: label
        for label in (
            "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
            "spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName",
        )
    },
)  # fmt: skip
