"""Edges survive any order of news."""

from sidings.api.resources import JOBS, PODS
from sidings.controllers.garbage_collector.graph import Graph, node_of


def obj(uid: str, *owners: str, **metadata: object) -> dict[str, object]:
    references = [
        {"uid": o, "apiVersion": "batch/v1", "kind": "Job", "name": o, "blockOwnerDeletion": True} for o in owners
    ]
    return {"metadata": {"uid": uid, "name": uid, "namespace": "ns", "ownerReferences": references, **metadata}}


def test_a_dependent_may_be_seen_before_its_owner() -> None:
    graph = Graph()
    graph.put(node_of(PODS, obj("pod", "job")))
    graph.put(node_of(JOBS, obj("job")))
    assert [node.uid for node in graph.dependents("job")] == ["pod"]


def test_a_dropped_owner_is_forgotten() -> None:
    graph = Graph()
    graph.put(node_of(PODS, obj("pod", "a", "b")))
    graph.put(node_of(PODS, obj("pod", "b")))
    assert graph.dependents("a") == []
    assert [node.uid for node in graph.dependents("b")] == ["pod"]


def test_removal_keeps_the_edges_of_others() -> None:
    graph = Graph()
    graph.put(node_of(JOBS, obj("job")))
    graph.put(node_of(PODS, obj("pod", "job")))
    graph.remove("job")
    assert [node.uid for node in graph.dependents("job")] == ["pod"]
    graph.remove("pod")
    assert graph.dependents("job") == []


def test_waiting_and_orphaning_show_only_while_deleting() -> None:
    waiting = node_of(JOBS, obj("job", finalizers=["foregroundDeletion"], deletionTimestamp="now"))
    assert waiting.waits_for_dependents()
    assert not node_of(JOBS, obj("job", finalizers=["foregroundDeletion"])).waits_for_dependents()
    assert node_of(JOBS, obj("job", finalizers=["orphan"], deletionTimestamp="now")).orphans_dependents()
