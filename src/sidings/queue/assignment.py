"""What flavor assignment finds for a workload: a flavor per pod set and resource, and why not a better one."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from sidings.api.kueue.topology_assignment import Placement
from sidings.queue import reasons
from sidings.queue.amounts import Usage
from sidings.queue.fungibility import Fit
from sidings.queue.reasons import Severity
from sidings.queue.topology.assigning import Part
from sidings.queue.workloads import Admission, PodSet, PodSetAdmission


class Mode(IntEnum):
    """``PREEMPT`` says that quota would have to come free, not that it can."""

    NO_FIT = 0
    PREEMPT = 1
    FIT = 2


@dataclass
class Choice:
    """The flavor of one resource. ``tried`` is where the search stopped, -1 if at the last flavor."""

    flavor: str
    fit: Fit
    borrowing: int
    tried: int = -1

    @property
    def mode(self) -> Mode:
        if self.fit is Fit.FIT:
            return Mode.FIT
        return Mode.NO_FIT if self.fit is Fit.NO_FIT else Mode.PREEMPT


@dataclass
class PodSetChoice:
    """``requests`` are those of all ``count`` pods. ``considered`` are the flavors that did not simply fit."""

    pod_set: PodSet
    count: int
    requests: dict[str, int]
    choices: dict[str, Choice] = field(default_factory=dict)
    why_not: list[str] = field(default_factory=list)
    severity: Severity = Severity.WAITING
    refused: bool = False
    considered: list[str] = field(default_factory=list)
    placement: Placement | None = None

    @property
    def mode(self) -> Mode:
        if self.refused:
            return Mode.NO_FIT
        if not self.why_not:
            return Mode.FIT
        return min((choice.mode for choice in self.choices.values()), default=Mode.NO_FIT)

    def lower_to(self, fit: Fit) -> None:
        for choice in self.choices.values():
            choice.fit = min(choice.fit, fit)


@dataclass
class Assignment:
    pod_sets: list[PodSetChoice] = field(default_factory=list)
    usage: Usage = field(default_factory=dict)

    @property
    def mode(self) -> Mode:
        return min((pod_set.mode for pod_set in self.pod_sets), default=Mode.FIT)

    @property
    def borrowing(self) -> int:
        """Its level in the order of the cycle."""
        return max((c.borrowing for pod_set in self.pod_sets for c in pod_set.choices.values()), default=0)

    @property
    def reason(self) -> str:
        """The reason of QuotaReserved=False while it cannot be admitted."""
        if self.mode is not Mode.NO_FIT:
            return reasons.WAITING_FOR_QUOTA
        return max(pod_set.severity for pod_set in self.pod_sets if pod_set.mode is Mode.NO_FIT).reason

    @property
    def message(self) -> str:
        told = [reasons.not_assigned(p.pod_set.name, p.why_not) for p in self.pod_sets if p.why_not]
        return "; ".join(told)

    @property
    def considered(self) -> str:
        """The tail of the QuotaReserved event."""
        told = [f"{p.pod_set.name}: {', '.join(p.considered)}" for p in self.pod_sets if p.considered]
        return " | ".join(told)

    @property
    def tried(self) -> dict[tuple[str, str], int]:
        """Where each search stopped, by (pod set, resource)."""
        return {
            (pod_set.pod_set.name, resource): choice.tried
            for pod_set in self.pod_sets
            for resource, choice in pod_set.choices.items()
        }

    def contested(self, topologies: frozenset[str]) -> set[tuple[str, str]]:
        """Flavor-resources that others would have to free.

        A placement is sought on all of a topology's resources at once, so all of them count where preemption is due.
        """
        return {
            (choice.flavor, resource)
            for pod_set in self.pod_sets
            for resource, choice in pod_set.choices.items()
            if choice.mode is Mode.PREEMPT or choice.flavor in topologies
        }

    def parts(self, topologies: frozenset[str]) -> list[Part]:
        """The pod sets that need a placement."""
        result = []
        for pod_set in self.pod_sets:
            flavors = {choice.flavor for choice in pod_set.choices.values()} & topologies
            if flavors:
                result.append(Part(pod_set.pod_set, pod_set.count, min(flavors)))
        return result

    def admission(self, cluster_queue: str) -> Admission:
        return Admission(
            cluster_queue,
            tuple(
                PodSetAdmission(
                    name=p.pod_set.name,
                    count=p.count,
                    flavors={resource: choice.flavor for resource, choice in p.choices.items()},
                    usage=p.requests,
                    placement=p.placement,
                )
                for p in self.pod_sets
            ),
        )
