"""Which flavor each pod set gets: flavors in the queue's order, each checked for match and quota.

All resources of a resource group get the same flavor. The outcome says Fit, Preempt (quota must come free first) or
NoFit, with a reason for every flavor that was looked at. ``fungibility`` decides between flavors, ``preemption`` says
whether preemption could help, ``topology`` has the last word where a flavor has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sidings.api import tolerations
from sidings.queue import affinity, amounts, borrowing, fungibility, preemption, reasons
from sidings.queue.amounts import FlavorResource, Usage
from sidings.queue.assignment import Assignment, Choice, Mode, PodSetChoice
from sidings.queue.fungibility import Fit, Grade
from sidings.queue.preemption import Config
from sidings.queue.quota import ResourceGroup
from sidings.queue.reasons import Severity
from sidings.queue.snapshot import NEVER, ClusterQueue, Flavor, Snapshot
from sidings.queue.topology import assigning
from sidings.queue.topology.assigning import Failure
from sidings.queue.workloads import PodSet, Workload

Tried = Mapping[tuple[str, str], int]
"""Where earlier searches stopped, by (pod set, resource); the next one goes on after it."""
Pinned = Mapping[tuple[str, str], str]
"""The only flavor allowed, by (pod set, resource)."""


@dataclass
class _Search:
    """What the search over the flavors of one resource group found."""

    choices: dict[str, Choice] = field(default_factory=dict)
    grade: Grade = fungibility.WORST
    why_not: list[str] = field(default_factory=list)
    severities: list[Severity] = field(default_factory=list)
    considered: list[str] = field(default_factory=list)


class FlavorAssigner:
    """Assigns flavors to one workload in one snapshot, for any counts of its pod sets."""

    def __init__(
        self,
        snapshot: Snapshot,
        queue: ClusterQueue,
        workload: Workload,
        config: Config,
        tried: Tried | None = None,
        pinned: Pinned | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._queue = queue
        self._workload = workload
        self._config = config
        self._tried = tried or {}
        self._pinned = pinned
        self.topologies = frozenset(snapshot.topologies)

    def assign(self, counts: Sequence[int] | None = None) -> Assignment:
        """``counts`` replace those of the pod sets, in their order."""
        sizes = counts or [pod_set.count for pod_set in self._workload.pod_sets]
        result = Assignment()
        for members in _groups(self._workload.pod_sets):
            found = [self._pod_set(index, sizes[index]) for index in members]
            self._choose(found, result.usage)
            result.pod_sets += found
            for choice in found:
                for resource, chosen in choice.choices.items():
                    amounts.add(result.usage, {(chosen.flavor, resource): choice.requests[resource]})
            if any(choice.mode is Mode.NO_FIT for choice in found):
                return result
        self._place(result)
        return result

    def _pod_set(self, index: int, count: int) -> PodSetChoice:
        pod_set = self._workload.pod_sets[index]
        requests = {name: amount * count for name, amount in pod_set.requests.items()}
        if self._queue.group_of(amounts.PODS) is not None:
            requests[amounts.PODS] = count
        # Nothing of a resource that the queue does not know is nothing to assign.
        kept = {name: amount for name, amount in requests.items() if amount or self._queue.group_of(name) is not None}
        return PodSetChoice(pod_set, count, kept)

    def _choose(self, members: list[PodSetChoice], assumed: Usage) -> None:
        """Flavors for pod sets that go together, resource group by resource group."""
        requests: dict[str, int] = {}
        for member in members:
            for name, amount in member.requests.items():
                requests[name] = requests.get(name, 0) + amount
        chosen: dict[str, Choice] = {}
        why_not: list[str] = []
        severities: list[Severity] = []
        for resource in sorted(requests):
            if resource in chosen:
                continue
            group = self._queue.group_of(resource)
            if group is None:
                why_not.append(f"resource {resource} unavailable in ClusterQueue")
                severities.append(Severity.NO_MATCH)
                break
            wanted = {name: amount for name, amount in sorted(requests.items()) if name in group.resources}
            search = self._search(members, group, resource, wanted, assumed)
            for member in members:
                member.considered += search.considered
            if search.grade.fit is not Fit.FIT:
                why_not += search.why_not
            if not search.choices:
                severities.append(min(search.severities, default=Severity.NO_MATCH))
                break
            chosen.update(search.choices)
        for member in members:
            member.why_not = list(why_not)
            if severities:
                member.refused, member.severity = True, max(severities)
            else:
                member.choices = {name: chosen[name] for name in member.requests}

    def _search(
        self,
        members: list[PodSetChoice],
        group: ResourceGroup,
        resource: str,
        wanted: Mapping[str, int],
        assumed: Usage,
    ) -> _Search:
        search = _Search()
        start = self._tried.get((members[0].pod_set.name, resource), -1) + 1
        index = -1
        for index in range(start, len(group.flavors)):
            name = group.flavors[index]
            refusal = self._mismatch(members, name, resource)
            if refusal:
                search.why_not.append(refusal)
                search.severities.append(Severity.NO_MATCH)
                search.considered.append(f"{name}(NoFit;{refusal})")
                continue
            choices, grade = self._try(search, name, wanted, assumed)
            if fungibility.search_ends(grade, self._queue.fungibility):
                search.choices, search.grade = choices, grade
                break
            if fungibility.better(grade, search.grade, self._queue.fungibility):
                search.choices, search.grade = choices, grade
        tried = -1 if index == len(group.flavors) - 1 else index
        for choice in search.choices.values():
            choice.tried = tried
        return search

    def _try(
        self, search: _Search, flavor: str, wanted: Mapping[str, int], assumed: Usage
    ) -> tuple[dict[str, Choice], Grade]:
        """The quota side of one flavor; the grade is that of its worst resource."""
        choices: dict[str, Choice] = {}
        worst = fungibility.BEST
        told: list[str] = []
        severities: list[Severity] = []
        for resource, amount in wanted.items():
            key: FlavorResource = (flavor, resource)
            grade, why, severity = self._quota(key, assumed.get(key, 0), amount)
            if why:
                told.append(why)
                severities.append(severity)
            if fungibility.better(worst, grade, self._queue.fungibility):
                worst = grade
            choices[resource] = Choice(flavor, grade.fit, grade.borrowing)
        search.why_not += told
        if worst.fit is Fit.NO_FIT:
            search.severities.append(max(severities))
        level = max((choice.borrowing for choice in choices.values()), default=0)
        if worst.fit is not Fit.FIT or level:
            search.considered.append(_told(flavor, worst.fit, level, told))
        return choices, worst

    def _quota(self, key: FlavorResource, assumed: int, request: int) -> tuple[Grade, str, Severity]:
        """(grade, why it does not simply fit, how final that is)."""
        queue, (flavor, resource) = self._queue, key
        value = assumed + request
        maximum, available = queue.potential(key), max(0, queue.available(key))
        if value > maximum:
            numbers = [amounts.text(resource, number) for number in (assumed, request, maximum)]
            return Grade(Fit.NO_FIT, 0), reasons.over_maximum(resource, flavor, *numbers), Severity.MAXIMUM
        level, right = borrowing.level(queue, key, value)
        if value <= available:
            return Grade(Fit.FIT, level), "", Severity.WAITING
        why = reasons.over_unused(resource, flavor, amounts.text(resource, value - available))
        nominal = queue.quotas[key].nominal if key in queue.quotas else 0
        if nominal >= value or right or self._may_preempt_borrowing:
            grade = preemption.prospect(self._snapshot, self._workload, queue, key, value, self._config)
            return Grade(*grade), why, Severity.WAITING
        return Grade(Fit.NO_FIT, level), why, Severity.WAITING

    @property
    def _may_preempt_borrowing(self) -> bool:
        policy = self._queue.preemption
        return policy.while_borrowing != NEVER or (self._config.fair_sharing and policy.reclaim != NEVER)

    def _mismatch(self, members: list[PodSetChoice], name: str, resource: str) -> str:
        """Why a flavor is out of the question whatever its quota; empty if it is not."""
        for member in members:
            if self._pinned is not None and self._pinned.get((member.pod_set.name, resource)) != name:
                return f"skipping flavor {name} as it is not found in the nomination mapping for resource {resource}"
        flavor = self._snapshot.flavors.get(name)
        if flavor is None:
            return f"flavor {name} not found"
        topology = self._snapshot.topologies.get(name)
        for member in members:
            refusal = assigning.flavor_refusal(member.pod_set.topology, flavor, topology)
            refusal = refusal or pod_refusal(member.pod_set, flavor)
            if refusal:
                return refusal
        return ""

    def _place(self, result: Assignment) -> None:
        """Places the pods on nodes where flavors have a topology; a failure lowers the mode of its pod set."""
        parts = result.parts(self.topologies)
        if not parts or result.mode is Mode.NO_FIT:
            return
        if result.mode is Mode.FIT:
            placed = assigning.place_workload(self._snapshot, parts)
            if not isinstance(placed, Failure):
                set_placements(result, placed)
                return
            failed = _named(result, placed.pod_set)
            failed.why_not.append(placed.message)
            failed.lower_to(Fit.PREEMPT)
        # Whom to preempt matters only if the pods would fit on nodes without anybody else. What is said stays the
        # first finding, as upstream.
        placed = assigning.place_workload(self._snapshot, parts, empty=True)
        if isinstance(placed, Failure):
            failed = _named(result, placed.pod_set)
            failed.why_not = failed.why_not or [placed.message]
            failed.refused, failed.severity = True, Severity.TOPOLOGY


def set_placements(assignment: Assignment, placements: assigning.Placements) -> None:
    for pod_set in assignment.pod_sets:
        pod_set.placement = placements.get(pod_set.pod_set.name, pod_set.placement)


def _named(assignment: Assignment, pod_set: str) -> PodSetChoice:
    return next(choice for choice in assignment.pod_sets if choice.pod_set.name == pod_set)


def pod_refusal(pod_set: PodSet, flavor: Flavor) -> str:
    """Why a flavor's nodes are not for these pods, by taint, node selector or affinity; empty if they are."""
    tolerated = [*(pod_set.pod_spec.get("tolerations") or ()), *flavor.tolerations]
    for taint in flavor.node_taints:
        if taint["effect"] in tolerations.BLOCKING_EFFECTS and not tolerations.tolerates(tolerated, taint):
            words = f"{taint['key']} {taint.get('value') or ''} {taint['effect']} <nil>"
            return f"untolerated taint {{{words}}} in flavor {flavor.name}"
    keys, labels = flavor.node_labels.keys(), flavor.node_labels
    spec = pod_set.pod_spec
    matches = affinity.selector_matches(spec, labels, keys) and affinity.affinity_matches(spec, labels, keys)
    return "" if matches else f"flavor {flavor.name} doesn't match node affinity"


def _groups(pod_sets: Sequence[PodSet]) -> list[list[int]]:
    """Indexes of pod sets, those of one podSetGroup together at the place of the first."""
    result: dict[str, list[int]] = {}
    for index, pod_set in enumerate(pod_sets):
        group = pod_set.topology.group if pod_set.topology else None
        result.setdefault(f"group {group}" if group else f"pod set {index}", []).append(index)
    return list(result.values())


def _told(flavor: str, fit: Fit, level: int, why: list[str]) -> str:
    words = {
        Fit.NO_FIT: "NoFit",
        Fit.NO_CANDIDATES: "preemptionMode=NoCandidates",
        Fit.PREEMPT: "preemptionMode=Preempt",
        Fit.RECLAIM: "preemptionMode=Reclaim",
        Fit.FIT: "Fit",
    }
    parts = [words[fit]]
    if level:
        parts.append(f"borrow={level}")
    return f"{flavor}({';'.join([*parts, *why])})"
