"""Pods that nobody moves: held by a scheduling gate, or deleted and still there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

from sidings.answers import codes
from sidings.answers.explanations import finding
from sidings.answers.family import TERMINAL_PHASES, Family, phase_of
from sidings.answers.finding import Finding, place_of
from sidings.answers.surroundings import Surroundings
from sidings.api import conditions, timestamps
from sidings.api.kueue import keys
from sidings.api.objects import Object, is_deleting, key_of

GATED = "SchedulingGated"
PATIENCE = timedelta(seconds=30)
"""How long a pod may outstay its grace period, or keep a gate, before that is worth a word."""
_OWN_FINALIZERS = ("batch.kubernetes.io/job-tracking", keys.MANAGED)
"""Taken off by controllers as soon as they have counted the pod."""


def find(family: Family, around: Surroundings) -> Iterator[Finding]:
    yield from _gated([pod for pod in family.living_pods() if _is_gated(pod, around)], around)
    yield from _lingering([pod for pod in family.pods if is_deleting(pod) and _is_overdue(pod, around)], around)


def _is_gated(pod: Object, around: Surroundings) -> bool:
    found = conditions.find((pod.get("status") or {}).get("conditions"), "PodScheduled") or {}
    age = around.now - timestamps.from_text(pod["metadata"]["creationTimestamp"])
    return bool(pod["spec"].get("schedulingGates")) and found.get("reason") == GATED and age > PATIENCE


def _gated(pods: list[Object], around: Surroundings) -> Iterator[Finding]:
    if not pods:
        return
    gates = ", ".join(dict.fromkeys(gate["name"] for pod in pods for gate in pod["spec"]["schedulingGates"]))
    change = json.dumps([{"op": "remove", "path": "/spec/schedulingGates"}])
    names, namespace = [key_of(pod).name for pod in pods], key_of(pods[0]).namespace
    yield finding(
        codes.GATED,
        place_of({"kind": "Pod", **pods[0]}),
        f"{len(pods)} of its pods {'is' if len(pods) == 1 else 'are'} held by scheduling gate {gates}",
        cause="whoever set the gate has not removed it",
        remedy=around.kubectl("patch", "pod", *names, "-n", namespace, "--type=json", "-p", change),
    )


def _is_overdue(pod: Object, around: Surroundings) -> bool:
    """``deletionTimestamp`` is when the grace period is over."""
    return around.now - timestamps.from_text(pod["metadata"]["deletionTimestamp"]) > PATIENCE


def _lingering(pods: list[Object], around: Surroundings) -> Iterator[Finding]:
    if not pods:
        return
    pod = pods[0]
    key, where = key_of(pod), place_of({"kind": "Pod", **pod})
    also = f" (and {len(pods) - 1} more)" if len(pods) > 1 else ""
    since = pod["metadata"]["deletionTimestamp"]
    finalizers = [name for name in pod["metadata"].get("finalizers") or () if name not in _OWN_FINALIZERS]
    what = f"pod {key.name}{also} was to be gone at {since}"
    if finalizers and phase_of(pod) in TERMINAL_PHASES:
        body = json.dumps({"metadata": {"finalizers": None}})
        remedy = around.kubectl("patch", "pod", key.name, "-n", key.namespace, "--type=merge", "-p", body)
        cause = f"finalizer {', '.join(finalizers)} keeps it"
    else:
        remedy = around.kubectl("delete", "pod", key.name, "-n", key.namespace, "--grace-period=0", "--force")
        cause = f"its node {pod['spec'].get('nodeName') or '(none)'} does not report its end"
    yield finding(codes.STUCK_TERMINATING, where, what, cause=cause, remedy=remedy)
