"""JSON values as Go names and prints them, because upstream's messages show them so and people search for those."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WORDS: dict[type, str] = {str: "string", list: "array", dict: "object"}


def json_type(value: Any) -> str:
    """The word of ``encoding/json`` for the type of a decoded value: ``cannot unmarshal number into ...``."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return _WORDS.get(type(value), "null")


def text(value: Any) -> str:
    """``fmt``'s ``%v`` of a decoded value: ``map[a:1 b:[x y]]``, keys sorted, strings bare."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "map[" + " ".join(f"{key}:{text(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, list):
        return "[" + " ".join(map(text, value)) + "]"
    return str(value)


_FIELDS = """
    manager time trainingRuntimeSpec targetJobs jobName containerNames
    metadata key operator
    name apiGroup kind generateName namespace labels annotations ownerReferences finalizers
    groupName
    parallelism completions activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex
    maxFailedIndexes selector manualSelector
    template replicas dependsOn ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy
    spec
    readOnly recursiveReadOnly mountPath subPath mountPropagation subPathExpr
    value valueFrom effect tolerationSeconds
    image command args workingDir ports envFrom env hostPort containerPort protocol hostIP
    volumes initContainers containers ephemeralContainers
    limits requests claims
    resources resizePolicy restartPolicy terminationGracePeriodSeconds dnsPolicy nodeSelector serviceAccountName
    serviceAccount automountServiceAccountToken nodeName hostNetwork hostPID hostIPC shareProcessNamespace
    volumeMounts volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath
    terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty imagePullSecrets
    hostname subdomain affinity schedulerName tolerations hostAliases priorityClassName priority dnsConfig
    readinessGates runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints
    setHostnameAsFQDN os hostUsers schedulingGates resourceClaims
"""
"""Fields in an order that fits all the structs that errors quote: of Trainer, JobSet, Job, Pod and their parts."""
_RANK = {name: rank for rank, name in enumerate(_FIELDS.split())}


def in_struct_order(value: Any) -> Any:
    """``value`` with its keys as ``encoding/json`` writes them: a struct's in their order, a map's sorted."""
    if isinstance(value, Mapping):
        return {key: in_struct_order(value[key]) for key in sorted(value, key=lambda k: (_RANK.get(k, len(_RANK)), k))}
    if isinstance(value, list):
        return [in_struct_order(item) for item in value]
    return value
