"""Admission fair sharing: within a ClusterQueue those go first whose LocalQueue has used less of late.

What a LocalQueue uses is sampled now and then and forgotten by half in every half-life; an admission counts in part at
once (the *entry penalty*), so that one queue cannot take everything between two samples. A ClusterQueue asks for it by
``admissionScope`` (KEP 4136, Kueue v0.19). Between queues of a cohort, ``fair_sharing`` decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sidings.api import quantity, timestamps
from sidings.api.kueue.configuration import AdmissionFairSharing
from sidings.api.objects import Object
from sidings.queue import amounts
from sidings.queue.workloads import Workload, held

USAGE_BASED = "UsageBasedAdmissionFairSharing"

Amounts = Mapping[str, float]
"""By resource, in the units of ``amounts``."""

BurdenOf = Callable[[Workload], float]
"""What the LocalQueue of a workload has used, weighted: less goes first."""


def nobody_is_burdened(workload: Workload) -> float:
    """The burden where usage does not decide."""
    return 0.0


@dataclass(frozen=True)
class Rules:
    """``admissionFairSharing`` of the configuration; times in seconds. Resources without a weight have 1."""

    half_life: float = 0.0
    sampling_interval: float = 300.0
    weights: Mapping[str, float] = field(default_factory=dict)

    @staticmethod
    def of(sharing: AdmissionFairSharing) -> Rules:
        return Rules(sharing.half_life, sharing.sampling_interval, sharing.weights)

    def forgotten(self, elapsed: float) -> float:
        """Which part of what was used ``elapsed`` seconds ago counts no more."""
        if self.half_life <= 0:
            return 1.0
        return float(1 - 0.5 ** (elapsed / self.half_life))


@dataclass(frozen=True)
class Consumption:
    """Of one LocalQueue: ``consumed`` at ``sampled_at``, and the penalties of admissions since."""

    consumed: Amounts
    sampled_at: datetime
    penalty: Amounts = field(default_factory=dict)

    def penalised(self, requests: Amounts, rules: Rules) -> Consumption:
        """After an admission of ``requests``."""
        part = rules.forgotten(rules.sampling_interval)
        more = {name: amount * part for name, amount in requests.items()}
        return Consumption(self.consumed, self.sampled_at, _sum(self.penalty, more))

    def sampled(self, current: Amounts, now: datetime, rules: Rules) -> Consumption:
        """At ``now``, while the LocalQueue uses ``current``: what was penalised has become usage."""
        gone = rules.forgotten(max(0.0, (now - self.sampled_at).total_seconds()))
        kept = {name: amount * (1 - gone) for name, amount in self.consumed.items()}
        fresh = {name: amount * gone for name, amount in current.items()}
        return Consumption(_sum(kept, fresh), now)

    def burden(self, rules: Rules, weight: float) -> float:
        """Weighted usage over the weight of the LocalQueue; CPU counts in cores. Weight 0: after everybody else."""
        if weight <= 0:
            return math.inf
        total = _sum(self.consumed, self.penalty)
        return (
            sum(rules.weights.get(name, 1.0) * amounts.in_units(name, amount) for name, amount in total.items())
            / weight
        )


def stored(local_queue: Object, now: datetime) -> Consumption:
    """What its status says that it has used; nothing, as of ``now``, where that says nothing."""
    sharing = (local_queue.get("status") or {}).get("fairSharing") or {}
    known = sharing.get("admissionFairSharingStatus")
    if not known:
        return Consumption({}, now)
    consumed = {name: float(amounts.whole(name, value)) for name, value in known["consumedResources"].items()}
    return Consumption(consumed, timestamps.from_text(known["lastUpdate"]))


def weight_of(local_queue: Object) -> float:
    weight = (local_queue["spec"].get("fairSharing") or {}).get("weight")
    return 1.0 if weight is None else float(quantity.parse(weight))


def in_use(holders: Iterable[Workload]) -> Amounts:
    """What ``holders`` have of each resource, whatever its flavor."""
    total: dict[str, float] = {}
    for holder in holders:
        for (_, resource), amount in held(holder).usage.items():
            total[resource] = total.get(resource, 0.0) + amount
    return total


def _sum(one: Amounts, other: Amounts) -> dict[str, float]:
    return {name: one.get(name, 0.0) + other.get(name, 0.0) for name in sorted(one.keys() | other.keys())}
