"""Whatever is asked of whatever nodes: all pods are placed, where they fit and as they must stay together, or none."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.queue import snapshot, workloads
from sidings.queue.snapshot import Snapshot
from sidings.queue.topology import assigning
from sidings.queue.topology.assigning import Failure, Part
from tests.queue import objects

LEVELS = ("block", "rack", "kubernetes.io/hostname")
CASES = 400


def nodes(rng: random.Random) -> list[Object]:
    made = []
    for number in range(rng.randint(1, 12)):
        rack = rng.randint(0, 4)
        cpu, pods = f"{rng.randint(0, 12)}500m", str(rng.randint(1, 9))
        made.append(objects.node(f"n{number}", cpu, pods, block=f"b{rack % 2}", rack=f"r{rack}"))
    return made


def request(rng: random.Random) -> dict[str, Any]:
    """A request that does not contradict itself, of pods in a multiple of its largest slice."""
    first = rng.randrange(3)
    asked: dict[str, Any] = {}
    if how := rng.choice(["required", "preferred", ""]):
        asked[how] = LEVELS[first]
    if rng.random() < 0.5:
        layers = sorted(rng.sample(range(first, 3), rng.randint(1, min(2, 3 - first))))
        sizes = [4, 2] if len(layers) == 2 else [rng.choice([2, 3])]
        asked["podsetSliceRequiredTopologyConstraints"] = [
            {"topology": LEVELS[level], "size": size} for level, size in zip(layers, sizes, strict=True)
        ]
    return asked


def problems(built: Snapshot, parts: list[Part], placed: assigning.Placements) -> list[str]:
    topology = built.topologies["default"]
    found = []
    taken: Counter[tuple[str, str]] = Counter()
    for part in parts:
        domains = placed[part.pod_set.name].domains
        if sum(count for _, count in domains) != part.count:
            found.append(f"{part.pod_set.name}: {sum(count for _, count in domains)} of {part.count} placed")
        leaves = [(topology.leaf(values).values, count) for values, count in domains]
        for values, count in leaves:
            for resource, amount in assigning.pod_requests(part.pod_set).items():
                taken[values[-1], resource] += amount * count
        asked = part.pod_set.topology
        if asked is None:
            continue
        if asked.required and len({v[: LEVELS.index(asked.required) + 1] for v, _ in leaves}) != 1:
            found.append(f"{part.pod_set.name}: not in one {asked.required}")
        layers = [(asked.slice_level, asked.slice_size), *asked.inner_slices] if asked.slice_level else []
        for level, size in layers:
            together: Counter[tuple[str, ...]] = Counter()
            for values, count in leaves:
                together[values[: LEVELS.index(level or "") + 1]] += count
            found += [f"{part.pod_set.name}: {n} in {domain}" for domain, n in together.items() if n % (size or 1)]
    for leaf in topology.by_level[-1]:
        for resource, capacity in leaf.capacity.items():
            if taken[leaf.values[-1], resource] > capacity:
                found.append(f"{leaf.values}: {taken[leaf.values[-1], resource]} of {capacity} {resource}")
    return found


@pytest.mark.parametrize("with_leader", [False, True])
def test_what_is_placed_is_complete_and_fits(with_leader: bool) -> None:
    placed_at_all = 0
    for seed in range(CASES):
        rng = random.Random(seed)
        built = snapshot.build([objects.flavor(topologyName="tp"), objects.topology(*LEVELS), *nodes(rng)])
        asked, count = request(rng), 12 * rng.randint(1, 2)
        if with_leader:
            asked["podSetGroupName"] = "group"
        workers = workloads.of_object(objects.workload("w", "1", count=count, topologyRequest=asked)).pod_sets[0]
        parts = [Part(workers, count, "default")]
        if with_leader:
            group = {name: asked[name] for name in ("required", "preferred", "podSetGroupName") if name in asked}
            obj = objects.workload("l", "1500m", topologyRequest=group)
            obj["spec"]["podSets"][0]["name"] = "leader"
            leader = workloads.of_object(obj).pod_sets[0]
            parts.insert(0, Part(leader, 1, "default"))
        placed = assigning.place_workload(built, parts)
        if not isinstance(placed, Failure):
            placed_at_all += 1
            assert problems(built, parts, placed) == [], f"seed {seed}"
    assert placed_at_all > CASES / 10
