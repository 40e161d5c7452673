"""The objects that OpenShift AI's platform is switched with: DataScienceCluster (v1, v2), JobSetOperator, Kueue.

Schemas hold what switches and reports need; all else of the real definitions is kept as it is given. v2 of
DataScienceCluster is stored; v1 is a view with older names, in which components that came later cannot be seen.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sidings.api import schemas
from sidings.api.kind import Column, Conversion, Kind
from sidings.api.kinds import columns
from sidings.api.kinds.custom_resource_definition import CustomRules
from sidings.api.objects import Object
from sidings.api.platform.components import MANAGED, REMOVED, SINGLETON, UNMANAGED
from sidings.api.platform.conditions import KINDS as COMPONENTS
from sidings.api.platform.kueue_configuration import FRAMEWORKS
from sidings.api.resources import (
    DATA_SCIENCE_CLUSTERS,
    DATA_SCIENCE_CLUSTERS_V1,
    JOB_SET_OPERATORS,
    KUEUE_OPERATORS,
    Resource,
)

_OPEN: dict[str, Any] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_CONDITIONS = {
    "type": "array",
    "items": {**_OPEN, "required": ["status", "type"]},
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
}
_STATUS = {**_OPEN, "properties": {"conditions": _CONDITIONS}}
_LEVEL = {"type": "string", "default": "Normal", "enum": ["", "Normal", "Debug", "Trace", "TraceAll"]}
_STATE = {"type": "string", "enum": [MANAGED, UNMANAGED, REMOVED, "Force"]}


def _words(*allowed: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(allowed)}


_SECONDS = {"type": "integer", "format": "int32"}
_KUEUE_CONFIG = {
    **_OPEN,
    "required": ["integrations"],
    "properties": {
        "integrations": {
            **_OPEN,
            "required": ["frameworks"],
            "properties": {
                "frameworks": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": len(FRAMEWORKS),
                    "items": {"type": "string", "enum": list(FRAMEWORKS)},
                    "x-kubernetes-list-type": "set",
                },
                "externalFrameworks": {
                    "type": "array",
                    "maxItems": 32,
                    "items": {
                        **_OPEN,
                        "required": ["group", "resource", "version"],
                        "properties": {name: {"type": "string"} for name in ("group", "resource", "version")},
                    },
                },
                "labelKeysToCopy": {
                    "type": "array",
                    "maxItems": 64,
                    "items": {**_OPEN, "required": ["key"], "properties": {"key": {"type": "string"}}},
                },
            },
        },
        "workloadManagement": {**_OPEN, "properties": {"labelPolicy": _words("QueueName", "None")}},
        "preemption": {**_OPEN, "properties": {"preemptionPolicy": _words("Classical", "FairSharing")}},
        "gangScheduling": {
            **_OPEN,
            "properties": {
                "policy": _words("ByWorkload", "ByWorkloadDefaults", "None"),
                "byWorkload": {
                    **_OPEN,
                    "properties": {
                        "admission": _words("Parallel", "Sequential"),
                        "timeoutSeconds": {**_SECONDS, "minimum": 30, "maximum": 86400},
                        "recoveryTimeoutSeconds": _SECONDS,
                    },
                },
            },
        },
    },
}
"""``spec.config`` of Kueue's operator (1.4), as far as it is obeyed."""

V1_NAMES = {"datasciencepipelines": "aipipelines"}
"""The name of a component in v1 -> in v2."""
V1_ONLY = ("codeflare", "modelmeshserving")
V2_ONLY = ("mlflowoperator", "sparkoperator", "trainer")


def _component(*states: str) -> dict[str, Any]:
    return {**_OPEN, "properties": {"managementState": _words(*states)}}


def _clusters(components: dict[str, Any]) -> dict[str, Any]:
    spec = {**_OPEN, "properties": {"components": {"type": "object", "properties": components}}}
    return {"type": "object", "properties": {"spec": spec, "status": _STATUS}}


def _operator(kind: str, spec: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": {"spec": {**_OPEN, "properties": {"managementState": _STATE, **spec}}, "status": _STATUS},
        "x-kubernetes-validations": [
            {
                "rule": f"self.metadata.name == '{SINGLETON}'",
                "message": f"{kind} is a singleton, .metadata.name must be '{SINGLETON}'",
            }
        ],
    }


def _kind(resource: Resource, singular: str, declared: dict[str, Any], *shown: Column, short: str = "") -> Kind:
    schema = schemas.of_objects(declared)
    return Kind(
        resource=resource,
        singular=singular,
        schema=schema,
        builtin=False,
        rules=CustomRules(schema),
        short_names=(short,) if short else (),
        subresources=frozenset({"status"}),
        columns=(columns.NAME, *(shown or (columns.DATE_AGE,))),
    )


def to_v2(obj: Object) -> Object:
    """A DataScienceCluster of v1, or a patch of one, in v2's words."""
    return _renamed(obj, DATA_SCIENCE_CLUSTERS, V1_NAMES, V1_ONLY)


def from_v2(obj: Object) -> Object:
    """A stored DataScienceCluster as v1 shows it."""
    return _renamed(obj, DATA_SCIENCE_CLUSTERS_V1, {new: old for old, new in V1_NAMES.items()}, V2_ONLY)


def _renamed(obj: Object, resource: Resource, names: dict[str, str], dropped: tuple[str, ...]) -> Object:
    changed = {**obj, "apiVersion": resource.api_version} if "apiVersion" in obj else dict(obj)
    for part in ("spec", "status"):
        # What a client sent is converted before anybody looked at its types.
        section = changed.get(part)
        components = section.get("components") if isinstance(section, dict) else None
        if isinstance(components, dict) and components:
            kept = {names.get(name, name): value for name, value in components.items() if name not in dropped}
            changed[part] = {**changed[part], "components": kept}
    return changed


_READY = (
    Column("Ready", json_path='.status.conditions[?(@.type=="Ready")].status'),
    Column("Reason", json_path='.status.conditions[?(@.type=="Ready")].reason'),
)
_V2 = {name: _component(MANAGED, REMOVED) for name in COMPONENTS} | {
    "kueue": _component(MANAGED, UNMANAGED, REMOVED),
}
_V1 = {old: _V2[new] for old, new in V1_NAMES.items()} | {
    name: value for name, value in _V2.items() if name not in (*V2_ONLY, *V1_NAMES.values())
}
_V1 |= {name: _component(MANAGED, REMOVED) for name in V1_ONLY}

CLUSTER = _kind(DATA_SCIENCE_CLUSTERS, "datasciencecluster", _clusters(_V2), *_READY, short="dsc")
CLUSTER_V1 = replace(
    _kind(DATA_SCIENCE_CLUSTERS_V1, "datasciencecluster", _clusters(_V1), *_READY, short="dsc"),
    conversion=Conversion(CLUSTER, to_v2, from_v2, str),
)
KINDS = (
    CLUSTER,
    CLUSTER_V1,
    _kind(
        JOB_SET_OPERATORS,
        "jobsetoperator",
        _operator("JobSetOperator", {"logLevel": _LEVEL, "operatorLogLevel": _LEVEL}, "spec"),
    ),
    _kind(
        KUEUE_OPERATORS,
        "kueue",
        _operator("Kueue", {"logLevel": _LEVEL, "operatorLogLevel": _LEVEL, "config": _KUEUE_CONFIG}, "spec"),
    ),
)
