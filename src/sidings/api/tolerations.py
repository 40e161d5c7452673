"""Taints and the tolerations that answer them (``k8s.io/component-helpers/scheduling/corev1``)."""

from __future__ import annotations

from collections.abc import Iterable

from sidings.api.objects import Object

BLOCKING_EFFECTS = ("NoSchedule", "NoExecute")
"""PreferNoSchedule only lowers a node's rank."""


def tolerates(tolerations: Iterable[Object] | None, taint: Object) -> bool:
    """Whether any of ``tolerations`` answers ``taint``."""
    return any(_answers(toleration, taint) for toleration in tolerations or ())


def tolerated_seconds(tolerations: Iterable[Object] | None, taint: Object) -> float | None:
    """How long a pod may stay on a node with a NoExecute ``taint``: 0 if it must go, None if for ever.

    Of several answering tolerations the shortest ``tolerationSeconds`` counts, as upstream's taint eviction does.
    """
    answering = [toleration for toleration in tolerations or () if _answers(toleration, taint)]
    if not answering:
        return 0
    limits = [max(t["tolerationSeconds"], 0) for t in answering if t.get("tolerationSeconds") is not None]
    return min(limits) if limits else None


def _answers(toleration: Object, taint: Object) -> bool:
    effect = toleration.get("effect")
    if effect and effect != taint["effect"]:
        return False
    key = toleration.get("key")
    if key and key != taint["key"]:
        return False
    if toleration.get("operator") == "Exists":
        return True
    # An empty key means "every taint", and only with Exists.
    return bool(key) and (toleration.get("value") or "") == (taint.get("value") or "")
