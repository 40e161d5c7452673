"""How NCCL connects ranks that share a node, from its own log (``NCCL_DEBUG=INFO``, NCCL 2.18 to 2.28)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidings.answers import codes
from sidings.answers.explanations import finding
from sidings.answers.family import Family, completion_index, phase_of
from sidings.answers.finding import Finding, place_of
from sidings.answers.resubmission import Revision
from sidings.answers.surroundings import Surroundings
from sidings.answers.why.remedies import gpus_of
from sidings.api.objects import Object, key_of, name_of, uid_of

_CHANNEL = re.compile(r"NCCL INFO Channel \d+(?:/\d+)? : (\d+)\[\w+\] -> (\d+)\[\w+\].* via NET/Socket")


def sharing(family: Family) -> list[Object]:
    """Running pods with GPUs that have a node together with a peer, in the order of ranks."""
    running = [pod for pod in family.living_pods() if phase_of(pod) == "Running" and _gpus(pod)]
    nodes = [pod["spec"].get("nodeName") for pod in running]
    return [pod for pod in running if nodes.count(pod["spec"].get("nodeName")) > 1]


def find(family: Family, around: Surroundings) -> Iterator[Finding]:
    """One finding for the first pair of ranks on one node that talk over sockets."""
    pods = sharing(family)
    nodes = _node_of_each_rank(family)
    for pod in pods:
        for line in around.logs.get(uid_of(pod)) or ():
            found = _CHANNEL.search(line)
            if found is None:
                continue
            left, right = (int(rank) for rank in found.groups())
            if left in nodes and nodes[left] == nodes.get(right):
                yield _of_pair(family, pod, (left, right), nodes[left], line, around)
                return


def _node_of_each_rank(family: Family) -> dict[int, str]:
    """Ranks count GPUs: those of the pod with index 0 come first."""
    nodes: dict[int, str] = {}
    for pod in sorted(family.pods, key=lambda each: completion_index(each) or 0):
        for _ in range(_gpus(pod)):
            nodes[len(nodes)] = str(pod["spec"].get("nodeName") or "")
    return nodes


def _gpus(pod: Object) -> int:
    return sum(gpus_of(container) for container in pod["spec"].get("containers") or ())


def _of_pair(
    family: Family, pod: Object, ranks: tuple[int, int], node: str, line: str, around: Surroundings
) -> Finding:
    key = key_of(pod)
    remedy = around.kubectl("logs", name_of(pod), "-n", key.namespace)
    all_here = [each for each in family.living_pods() if each["spec"].get("nodeName") == node]
    if family.root["kind"] == "TrainJob" and len(all_here) == len(family.living_pods()):
        revision = Revision(family.root)
        revision.set(("spec", "trainer", "numNodes"), 1)
        total = sum(_gpus(each) for each in all_here)
        resources = family.root["spec"].get("trainer", {}).get("resourcesPerNode") or {}
        for word, amounts in resources.items():
            for name in amounts:
                if name.endswith("/gpu"):
                    revision.set(("spec", "trainer", "resourcesPerNode", word, name), str(total))
        remedy = revision.command(around)
    return finding(
        codes.SOCKETS_ON_ONE_NODE,
        place_of(family.root),
        f"ranks {ranks[0]} and {ranks[1]} are both on node {node}, and NCCL connects them by sockets",
        cause=line.strip()[:300],
        remedy=remedy,
    )
