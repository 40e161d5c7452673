"""Node: a machine, or a logical slice of one, that runs pods."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from sidings.api import conditions, names, schemas
from sidings.api.fields import FieldError, duplicate, forbidden, invalid, not_supported, required
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object, labels_of
from sidings.api.resources import NODES

ROLE_PREFIX = "node-role.kubernetes.io/"
ROLE_LABEL = "kubernetes.io/role"
TAINT_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class NodeRules(Rules):
    def default(self, obj: Object) -> None:
        obj.setdefault("spec", {})
        obj.setdefault("status", {})

    def prepare_for_update(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]

    def validate(self, obj: Object) -> list[FieldError]:
        return list(_taint_errors(obj["spec"].get("taints") or ()))

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        before, after = old["spec"].get("providerID"), new["spec"].get("providerID")
        if before and before != after:
            detail = 'node updates may not change providerID except from "" to valid'
            return [forbidden("spec.providerID", detail)]
        return []


def _taint_errors(taints: Sequence[Object]) -> Iterator[FieldError]:
    """``validateNodeTaints`` of ``pkg/apis/core/validation`` (v1.36)."""
    seen = set()
    for index, taint in enumerate(taints):
        path, effect = f"spec.taints[{index}]", taint.get("effect") or ""
        key, value = taint.get("key") or "", taint.get("value") or ""
        for complaint in names.qualified_name(key):
            yield invalid(f"{path}.key", key, complaint)
        if complaints := names.label_value(value):
            yield invalid(f"{path}.value", value, ";".join(complaints))
        if not effect:
            yield required(f"{path}.effect")
        elif effect not in TAINT_EFFECTS:
            yield not_supported(f"{path}.effect", effect, TAINT_EFFECTS)
        if (key, effect) in seen:
            found = duplicate(path, taint)
            yield found._replace(text=f"{found.text}: taints must be unique by key and effect pair")
        seen.add((key, effect))


def _status(obj: Object, now: datetime) -> Any:
    ready = conditions.find((obj.get("status") or {}).get("conditions"), "Ready")
    word = "Ready" if ready and ready.get("status") == "True" else "NotReady" if ready else "Unknown"
    return f"{word},SchedulingDisabled" if (obj.get("spec") or {}).get("unschedulable") else word


def _roles(obj: Object, now: datetime) -> Any:
    roles = set()
    for key, value in labels_of(obj).items():
        if key.startswith(ROLE_PREFIX) and key != ROLE_PREFIX:
            roles.add(key.removeprefix(ROLE_PREFIX))
        elif key == ROLE_LABEL and value:
            roles.add(value)
    return ",".join(sorted(roles)) or columns.NONE


def _address(type_: str) -> Callable[[Object, datetime], Any]:
    def cell(obj: Object, now: datetime) -> Any:
        for address in (obj.get("status") or {}).get("addresses") or ():
            if address.get("type") == type_:
                return address.get("address")
        return columns.NONE

    return cell


KIND = Kind(
    resource=NODES,
    singular="node",
    schema=schemas.schema(NODES.group, NODES.version, NODES.kind),
    builtin=True,
    rules=NodeRules(),
    short_names=("no",),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("Status", cell=_status, description="Whether it can run pods, and whether it takes new ones."),
        Column("Roles", cell=_roles, description="From its node-role labels."),
        columns.AGE,
        Column(
            "Version",
            cell=columns.field("status", "nodeInfo", "kubeletVersion"),
            description="Version of its node agent.",
        ),
        Column("Internal-IP", cell=_address("InternalIP"), priority=1, description="Address within the cluster."),
        Column("External-IP", cell=_address("ExternalIP"), priority=1, description="Address from outside."),
        Column(
            "OS-Image",
            cell=columns.field("status", "nodeInfo", "osImage", missing=columns.UNKNOWN),
            priority=1,
            description="Operating system.",
        ),
        Column(
            "Kernel-Version",
            cell=columns.field("status", "nodeInfo", "kernelVersion", missing=columns.UNKNOWN),
            priority=1,
            description="Kernel.",
        ),
        Column(
            "Container-Runtime",
            cell=columns.field("status", "nodeInfo", "containerRuntimeVersion", missing=columns.UNKNOWN),
            priority=1,
            description="Runs its pods.",
        ),
    ),
    generation=False,
    field_labels={"spec.unschedulable": "spec.unschedulable"},
)
