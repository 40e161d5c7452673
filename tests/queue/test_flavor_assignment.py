from typing import Any

from sidings.queue import snapshot, workloads
from sidings.queue.assignment import Assignment, Mode
from sidings.queue.flavor_assignment import FlavorAssigner
from sidings.queue.preemption import Config
from tests.queue.objects import cluster_queue, flavor, workload

SPOT = {"nodeTaints": [{"key": "spot", "value": "true", "effect": "NoSchedule"}]}


def assigned(obj: dict[str, Any], cpu: dict[str, Any], *flavors: dict[str, Any], **more: Any) -> Assignment:
    state = snapshot.build([*flavors, cluster_queue("q", cpu)])
    return FlavorAssigner(state, state.queues["q"], workloads.of_object(obj), Config(), **more).assign()


def flavors_of(assignment: Assignment) -> list[str]:
    return [choice.flavor for pod_set in assignment.pod_sets for choice in pod_set.choices.values()]


def test_the_first_flavor_that_fits() -> None:
    found = assigned(workload("w", "3"), {"f1": "2", "f2": "4"}, flavor("f1"), flavor("f2"))
    assert (found.mode, flavors_of(found), found.usage) == (Mode.FIT, ["f2"], {("f2", "cpu"): 3000})


def test_every_flavor_gives_its_reason_and_the_mildest_counts() -> None:
    found = assigned(workload("w", "3"), {"f1": "2", "f2": "4"}, flavor("f1"), flavor("f2", **SPOT))
    assert (found.mode, found.reason) == (Mode.NO_FIT, "ExceedsMaxQuota")
    assert found.message == (
        "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor f1, previously considered"
        " podsets requests (0) + current podset request (3) > maximum capacity (2),"
        " untolerated taint {spot true NoSchedule <nil>} in flavor f2"
    )


def test_a_toleration_of_the_flavor_answers_its_taint() -> None:
    tolerant = flavor("f1", tolerations=[{"key": "spot", "operator": "Exists"}], **SPOT)
    assert assigned(workload("w"), {"f1": "2"}, tolerant).mode is Mode.FIT


def test_the_search_goes_on_after_the_flavor_tried_last() -> None:
    both = (flavor("f1"), flavor("f2"))
    first = assigned(workload("w"), {"f1": "2", "f2": "2"}, *both)
    assert first.tried == {("main", "cpu"): 0}
    second = assigned(workload("w"), {"f1": "2", "f2": "2"}, *both, tried=first.tried)
    assert (flavors_of(second), second.tried) == (["f2"], {("main", "cpu"): -1})


def test_a_pinned_flavor_is_the_only_one() -> None:
    both = (flavor("f1"), flavor("f2"))
    found = assigned(workload("w"), {"f1": "2", "f2": "2"}, *both, pinned={("main", "cpu"): "f2"})
    assert flavors_of(found) == ["f2"]


def test_a_resource_that_the_queue_does_not_know() -> None:
    obj = workload("w")
    obj["spec"]["podSets"][0]["template"]["spec"]["containers"][0]["resources"]["requests"]["nvidia.com/gpu"] = "1"
    found = assigned(obj, {"f1": "2"}, flavor("f1"))
    assert found.message.endswith("resource nvidia.com/gpu unavailable in ClusterQueue")
    assert found.reason == "NoMatchingFlavor"
