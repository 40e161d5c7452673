"""Required affinity and anti-affinity between pods: near to some, away from others, by topology domain.

A domain is all nodes with the same value of the label ``topologyKey``. What the domains hold is found out once for each
pod, so that a pass over many nodes reads the other pods once; where neither the pod nor any placed pod has such terms
it costs nothing. As ``interpodaffinity`` of kube-scheduler v1.36, whose words the reasons are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sidings.api import selectors
from sidings.api.objects import Object, labels_of, namespace_of
from sidings.controllers.scheduler.snapshot import NodeState, Snapshot, anti_affinity_terms, required_terms

AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
EXISTING_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules"

Domain = tuple[str, str]
"""Label name and value."""


def rule(pod: Object, snapshot: Snapshot) -> Callable[[Object, NodeState], list[str]]:
    """The filter for ``pod`` as ``snapshot`` is now."""
    near, away = required_terms(pod, "podAffinity"), anti_affinity_terms(pod)
    if not near and not away and not snapshot.guarded:
        return _anywhere
    wanted = _domains_of_all(near, pod, snapshot)
    own = {domain for term in away for domain in _domains(term, pod, snapshot)}
    theirs = {
        domain
        for other, node in snapshot.guarded
        for term in anti_affinity_terms(other)
        if _matches(term, other, pod, snapshot)
        for domain in _domain_of(term, snapshot.nodes.get(node))
    }
    # Nobody it wants to be near to is there yet: the first of a group that wants to be together may begin anywhere.
    first = not wanted and all(_matches(term, pod, pod, snapshot) for term in near)

    def reasons(_: Object, state: NodeState) -> list[str]:
        domains = [set(_domain_of(term, state)) for term in near]
        if not all(found and (first or found <= wanted) for found in domains):
            return [AFFINITY]
        here = set(labels_of(state.node).items())
        if here & own:
            return [ANTI_AFFINITY]
        return [EXISTING_ANTI_AFFINITY] if here & theirs else []

    return reasons


def _anywhere(_: Object, __: NodeState) -> list[str]:
    return []


def _domains_of_all(terms: list[Object], pod: Object, snapshot: Snapshot) -> set[Domain]:
    """The domains of placed pods that match every one of ``terms``, as upstream asks for."""
    if not terms:
        return set()
    return {
        domain
        for other, node in snapshot.placed
        if all(_matches(term, pod, other, snapshot) for term in terms)
        for term in terms
        for domain in _domain_of(term, snapshot.nodes.get(node))
    }


def _domains(term: Object, pod: Object, snapshot: Snapshot) -> Iterable[Domain]:
    for other, node in snapshot.placed:
        if _matches(term, pod, other, snapshot):
            yield from _domain_of(term, snapshot.nodes.get(node))


def _domain_of(term: Object, state: NodeState | None) -> Iterable[Domain]:
    """The domain of a node, none for one without the label."""
    key = term["topologyKey"]
    value = labels_of(state.node).get(key) if state is not None else None
    return () if value is None else ((key, value),)


def _matches(term: Object, owner: Object, other: Object, snapshot: Snapshot) -> bool:
    """Whether ``other`` is one of the pods that a term of ``owner`` is about."""
    selector = term.get("labelSelector")
    if selector is None or not _in_namespaces(term, owner, namespace_of(other), snapshot):
        return False
    mine, its = labels_of(owner), labels_of(other)
    return (
        selectors.matches(selector, its)
        and all(its.get(key) == mine[key] for key in term.get("matchLabelKeys") or () if key in mine)
        and all(its.get(key) != mine[key] for key in term.get("mismatchLabelKeys") or () if key in mine)
    )


def _in_namespaces(term: Object, owner: Object, namespace: str, snapshot: Snapshot) -> bool:
    named, selector = term.get("namespaces") or (), term.get("namespaceSelector")
    if not named and selector is None:
        return namespace == namespace_of(owner)
    if namespace in named:
        return True
    return selector is not None and selectors.matches(selector, snapshot.namespaces.get(namespace))
