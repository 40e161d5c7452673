"""The choice of domains: few and tightly filled ones.

Capacities are counted from the leaves up, in pods and in *slices* (groups of pods that must share a domain of the slice
level). A level is chosen where the request fits, then the choice is narrowed level by level down to the leaves, each
time to as few domains as possible, the last one being the smallest that suffices. A pod set group adds one leader pod
that is placed with its workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sidings.api.kueue.topology_assignment import Placement
from sidings.queue.topology.domains import Domain, Topology


@dataclass(frozen=True)
class Ask:
    """``requests`` are those of one pod, ``pods`` included. ``excluded(leaf)`` says why no pod may go to a leaf."""

    pods: int
    requests: Mapping[str, int]
    level: int
    slice_level: int
    slice_size: int
    required: bool
    least_free: bool
    excluded: Callable[[Domain], str]
    leader: Mapping[str, int] | None = None
    inner: Mapping[int, int] = field(default_factory=dict)
    """Sizes of slices within slices, by level: pods of a lower domain are a multiple of its level's size."""


@dataclass(frozen=True)
class Placed:
    workers: Placement
    leader: Placement | None


@dataclass
class _Room:
    """What a domain can take; ``leader`` and ``*_beside`` are of the case that the leader goes there too."""

    pods: int = 0
    slices: int = 0
    leader: bool = False
    pods_beside: int = 0
    slices_beside: int = 0


@dataclass(frozen=True)
class _Share:
    """Part of the request given to a domain, in slices, pods or units of several pods."""

    domain: Domain
    amount: int
    leader: bool


def place(topology: Topology, ask: Ask, assumed: Mapping[Domain, Mapping[str, int]], *, empty: bool) -> Placed | str:
    """Where the pods go, or why they cannot go anywhere.

    ``assumed`` is what earlier pod sets of the same workload take. ``empty`` ignores all usage but that.
    """
    search = _Search(topology, ask, assumed, empty)
    shares = search.choose()
    return shares if isinstance(shares, str) else search.descend(shares)


class _Search:
    def __init__(self, topology: Topology, ask: Ask, assumed: Mapping[Domain, Mapping[str, int]], empty: bool) -> None:
        self._topology = topology
        self._ask = ask
        self._assumed = assumed
        self._empty = empty
        self._excluded: Counter[str] = Counter()
        self._needs = _needs(ask.requests)
        self._leader_needs = _needs(ask.leader or _NOTHING)
        self._rooms: dict[Domain, _Room] = {}
        for domain in topology.by_level[0]:
            self._count(domain)

    # Counting, from the leaves up.

    def _count(self, domain: Domain) -> _Room:
        room = self._leaf(domain) if not domain.children else self._inner([self._count(c) for c in domain.children])
        if size := self._ask.inner.get(domain.level):
            room.pods -= room.pods % size
            room.pods_beside -= room.pods_beside % size
        if domain.level == self._ask.slice_level:
            room.slices = room.pods // self._ask.slice_size
            room.slices_beside = room.pods_beside // self._ask.slice_size
        self._rooms[domain] = room
        return room

    def _leaf(self, leaf: Domain) -> _Room:
        reason = self._ask.excluded(leaf)
        if reason:
            self._excluded[reason] += 1
            return _Room()
        taken = (_NOTHING if self._empty else leaf.used, self._assumed.get(leaf) or _NOTHING)
        pods, limiting = _capacity(leaf, taken, self._needs)
        if not pods:
            self._excluded[f'resource "{limiting}"'] += 1
        leader = self._ask.leader
        if leader is None or not _capacity(leaf, taken, self._leader_needs)[0]:
            return _Room(pods=pods)
        return _Room(pods=pods, leader=True, pods_beside=_capacity(leaf, (*taken, leader), self._needs)[0])

    def _inner(self, rooms: Sequence[_Room]) -> _Room:
        room = _Room(pods=sum(r.pods for r in rooms), slices=sum(r.slices for r in rooms))
        hosts = [r for r in rooms if r.leader]
        if hosts:
            room.leader = True
            room.pods_beside = room.pods - min(r.pods - r.pods_beside for r in hosts)
            room.slices_beside = room.slices - min(r.slices - r.slices_beside for r in hosts)
        return room

    # Order among domains, and the narrowing to few of them.

    def _amount(self, domain: Domain, leader: bool, unit: int | None) -> int:
        """What ``domain`` can take: in units of so many pods, in slices where that is None."""
        room = self._rooms[domain]
        if unit is None:
            return room.slices_beside if leader else room.slices
        return (room.pods_beside if leader else room.pods) // unit

    def _sorted(self, domains: Sequence[Domain], leader: bool) -> list[Domain]:
        sign = 1 if self._ask.least_free else -1

        def rank(domain: Domain) -> tuple[bool, int, int, tuple[str, ...]]:
            room = self._rooms[domain]
            if not leader:
                return False, sign * room.slices, room.pods, domain.values
            return not room.leader, sign * room.slices_beside, room.pods_beside, domain.values

        return sorted(domains, key=rank)

    def _narrow(
        self, domains: Sequence[Domain], amount: int, leader: bool, unit: int | None
    ) -> tuple[list[_Share], int]:
        """As few of ``domains`` as hold ``amount``, and what remains uncovered."""
        shares: list[_Share] = []
        waiting = self._sorted(domains, leader)
        while (amount > 0 or leader) and waiting:
            domain = waiting[0]
            if leader and not self._rooms[domain].leader:
                break
            if not self._ask.least_free and self._amount(domain, leader, unit) >= amount:
                domain = self._tightest(waiting, amount, leader, unit)
            elif leader:
                domain = self._host(waiting, amount, unit)
            waiting.remove(domain)
            taken = min(self._amount(domain, leader, unit), amount)
            if taken or leader:
                shares.append(_Share(domain, taken, leader))
            amount -= taken
            if leader:
                leader = False
                waiting = self._sorted(waiting, leader)
        return shares, amount if not leader else max(amount, 1)

    def _tightest(self, domains: Sequence[Domain], amount: int, leader: bool, unit: int | None) -> Domain:
        enough = [
            d for d in domains if self._amount(d, leader, unit) >= amount and (not leader or self._rooms[d].leader)
        ]
        return min(enough, key=lambda domain: self._amount(domain, leader, unit))

    def _host(self, domains: Sequence[Domain], amount: int, unit: int | None) -> Domain:
        """Where the leader goes: the first that leaves room enough for the workers; the first at all if none does."""
        room = sum(self._amount(domain, False, unit) for domain in domains)
        for domain in domains:
            lost = self._amount(domain, False, unit) - self._amount(domain, True, unit)
            if self._rooms[domain].leader and room - lost >= amount:
                return domain
        return domains[0]

    # The level, and the way down from it.

    def choose(self) -> list[_Share] | str:
        """Shares in slices of domains at the level where the request fits."""
        ask = self._ask
        need, leader = ask.pods // ask.slice_size, ask.leader is not None
        if not self._topology.by_level[ask.level]:
            return f"no topology domains at level: {self._topology.levels[ask.level]}"
        for level in range(ask.level, -1, -1):
            domains = self._sorted(self._topology.by_level[level], leader)
            able = [d for d in domains if not leader or self._rooms[d].leader]
            fitting = [d for d in able if self._amount(d, leader, None) >= need]
            if fitting:
                chosen = fitting[0] if ask.least_free else self._tightest(fitting, need, leader, None)
                return [_Share(chosen, need, leader)]
            if ask.required:
                return self._refusal(self._amount(able[0], leader, None) if able else 0, need)
            if level == 0 or ask.least_free:
                shares, missing = self._narrow(domains, need, leader, None)
                return self._refusal(need - missing, need) if missing else shares
        raise AssertionError("level 0 always answers")

    def descend(self, shares: list[_Share]) -> Placed:
        level = shares[0].domain.level
        while level < self._ask.slice_level:
            children = [child for share in shares for child in share.domain.children]
            amount = sum(share.amount for share in shares)
            shares, _ = self._narrow(children, amount, any(share.leader for share in shares), None)
            level += 1
        # From the slice level down, what a domain got stays in it, and pods are what is counted.
        shares = [_Share(share.domain, share.amount * self._ask.slice_size, share.leader) for share in shares]
        while level < len(self._topology.levels) - 1:
            level += 1
            unit = next((self._ask.inner[below] for below in sorted(self._ask.inner) if below >= level), 1)
            shares = [
                _Share(part.domain, part.amount * unit, part.leader)
                for share in shares
                for part in self._narrow(share.domain.children, share.amount // unit, share.leader, unit)[0]
            ]
        workers = [(share.domain, share.amount) for share in shares if share.amount]
        leaders = [(share.domain, 1) for share in shares if share.leader]
        return Placed(self._written(workers), self._written(leaders) if leaders else None)

    def _written(self, pods: list[tuple[Domain, int]]) -> Placement:
        ordered = sorted(pods, key=lambda pair: pair[0].values)
        topology = self._topology
        return Placement(topology.written_levels, tuple((topology.written(d.values), n) for d, n in ordered))

    def _refusal(self, fitting: int, need: int) -> str:
        unit = "pod(s)" if self._ask.slice_size == 1 else "slice(s)"
        name = self._topology.name
        if fitting:
            text = f'topology "{name}" allows to fit only {fitting} out of {need} {unit}'
        else:
            text = f'topology "{name}" doesn\'t allow to fit any of {need} {unit}'
        if self._excluded:
            reasons = ", ".join(f"{reason}: {count}" for reason, count in sorted(self._excluded.items()))
            text += f". Total nodes: {len(self._topology.by_level[-1])}; excluded: {reasons}"
        return text


_NOTHING: Mapping[str, int] = {}
_Needs = list[tuple[str, int]]


def _needs(requests: Mapping[str, int]) -> _Needs:
    """What limits the number of pods, by name."""
    return sorted((name, amount) for name, amount in requests.items() if amount)


def _capacity(leaf: Domain, taken: Sequence[Mapping[str, int]], needs: _Needs) -> tuple[int, str]:
    """(pods that fit, the resource that limits them; of several the first).

    Asked of every node for every pod set in every cycle, so it looks at what is needed alone.
    """
    least, limiting = -1, ""
    for name, amount in needs:
        free = leaf.capacity.get(name, 0)
        for used in taken:
            free -= used.get(name, 0)
        fitting = free // amount if free > 0 else 0
        if least < 0 or fitting < least:
            least, limiting = fitting, name
    return least, limiting
