"""How many pods of a PodDisruptionBudget may be evicted right now. Pure.

Follows ``pkg/controller/disruption`` and ``pkg/registry/core/pod/storage/eviction.go`` (v1.36). Two things differ: pods
are counted as they are stored, where upstream reads a status that somebody else keeps, and a percentage is of the pods
that there are, because no controller of ours has a scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from sidings.api import conditions, selectors
from sidings.api.objects import Object, is_deleting, labels_of, name_of
from sidings.api.pod_phase import has_ended
from sidings.api.status import ApiError, Cause, TooManyRequests, UnexplainedError

CAUSE = "DisruptionBudget"
VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget."
SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
ALLOWED = "DisruptionAllowed"
SUFFICIENT, INSUFFICIENT = "SufficientPods", "InsufficientPods"


class Count(NamedTuple):
    """Pods of one budget."""

    expected: int
    desired: int
    """How many have to be healthy."""
    healthy: int

    @property
    def allowed(self) -> int:
        return max(self.healthy - self.desired, 0) if self.expected else 0


def count(budget: Object, pods: Iterable[Object]) -> Count:
    """The figures of ``budget`` over ``pods``, those of its namespace."""
    mine = [pod for pod in pods if concerns(budget, pod) and not has_ended(pod)]
    expected = len(mine)
    spec = budget.get("spec") or {}
    if spec.get("maxUnavailable") is not None:
        desired = max(expected - _scaled(spec["maxUnavailable"], expected), 0)
    else:
        desired = _scaled(spec.get("minAvailable") or 0, expected)
    return Count(expected, desired, sum(is_healthy(pod) for pod in mine))


def concerns(budget: Object, pod: Object) -> bool:
    """Whether ``budget`` is about ``pod``; without a selector it is about none."""
    return selectors.matches((budget.get("spec") or {}).get("selector"), labels_of(pod))


def is_healthy(pod: Object) -> bool:
    return not is_deleting(pod) and conditions.is_true(pod, "Ready")


def _scaled(value: int | str, total: int) -> int:
    if isinstance(value, int):
        return value
    return math.ceil(int(value.removesuffix("%")) * total / 100) if value.endswith("%") else int(value)


def refusal(pod: Object, budgets: Iterable[Object], pods: Iterable[Object]) -> ApiError | None:
    """Why ``pod`` may not be evicted while ``budgets`` and ``pods`` are those of its namespace; None if it may.

    A pod that does not run yet, or not any more, is nobody's loss.
    """
    if has_ended(pod) or is_deleting(pod) or not (pod.get("spec") or {}).get("nodeName"):
        return None
    mine = [budget for budget in budgets if concerns(budget, pod)]
    if len(mine) > 1:
        return UnexplainedError(SEVERAL)
    if not mine:
        return None
    budget, figures = mine[0], count(mine[0], pods)
    policy = (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy")
    spare = policy == "AlwaysAllow" or figures.healthy >= figures.desired > 0
    if not is_healthy(pod) and spare:
        return None
    if figures.allowed > 0:
        return None
    needs = f"needs {figures.desired} healthy pods and has {figures.healthy} currently"
    told = f"The disruption budget {name_of(budget)} {needs}"
    return TooManyRequests(VIOLATED, causes=[Cause(CAUSE, told, "")])


def status(budget: Object, pods: Iterable[Object], moment: str) -> Object:
    """The status of ``budget``; ``moment`` is when its condition changes, if it does."""
    figures = count(budget, pods)
    before = budget.get("status") or {}
    enough = figures.allowed > 0
    condition = {
        "type": ALLOWED,
        "status": "True" if enough else "False",
        "reason": SUFFICIENT if enough else INSUFFICIENT,
        "message": "",
        "observedGeneration": budget["metadata"].get("generation", 0),
        "lastTransitionTime": moment,
    }
    known = conditions.find(before.get("conditions"), ALLOWED)
    if known is not None and known["status"] == condition["status"]:
        condition["lastTransitionTime"] = known["lastTransitionTime"]
    return {
        "observedGeneration": budget["metadata"].get("generation", 0),
        "disruptionsAllowed": figures.allowed,
        "currentHealthy": figures.healthy,
        "desiredHealthy": figures.desired,
        "expectedPods": figures.expected,
        "conditions": [condition],
    }
