"""What OpenShift AI makes for Kueue, by the nodes that are there."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.platform import default_queues


def cluster(state: str = "Unmanaged", **fields: str) -> Object:
    return {
        "metadata": {"name": "default-dsc", "uid": "u"},
        "spec": {"components": {"kueue": {"managementState": state, **fields}}},
    }


def node(**allocatable: str) -> Object:
    gpus = {"nvidia.com/gpu": allocatable.pop("gpus")} if "gpus" in allocatable else {}
    return {"status": {"allocatable": {**allocatable, **gpus}}}


def test_only_unmanaged_asks_for_queues() -> None:
    assert default_queues.asked_for([cluster("Removed"), cluster("Managed")]) is None
    assert default_queues.asked_for([cluster("Removed"), cluster()]) == cluster()


def test_the_queue_has_all_that_the_nodes_can_give() -> None:
    nodes = [node(cpu="7500m", memory="64Gi", gpus="2"), node(cpu="4", memory="32Gi", gpus="0")]
    *flavors, queue = default_queues.queues(cluster(), nodes)
    assert [flavor["metadata"]["name"] for flavor in flavors] == ["default-flavor", "nvidia-gpu-flavor"]
    assert queue["metadata"]["name"] == "default"
    assert queue["spec"]["namespaceSelector"] == {"matchLabels": {"kueue.openshift.io/managed": "true"}}
    first, second = queue["spec"]["resourceGroups"]
    assert first["flavors"][0]["resources"] == [
        {"name": "cpu", "nominalQuota": "11500m"},
        {"name": "memory", "nominalQuota": "96Gi"},
    ]
    assert second == {
        "coveredResources": ["nvidia.com/gpu"],
        "flavors": [{"name": "nvidia-gpu-flavor", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "2"}]}],
    }


def test_without_gpus_there_is_no_flavor_for_them() -> None:
    flavor, queue = default_queues.queues(cluster(), [node(cpu="1", memory="1Gi")])
    assert flavor["metadata"]["name"] == "default-flavor"
    assert len(queue["spec"]["resourceGroups"]) == 1


def test_names_can_be_chosen() -> None:
    chosen = cluster(defaultClusterQueueName="all", defaultLocalQueueName="mine")
    assert default_queues.local_queue(chosen, "team")["spec"] == {"clusterQueue": "all"}
    assert default_queues.local_queue(chosen, "team")["metadata"]["name"] == "mine"


def test_either_label_manages_a_namespace_and_brings_the_other() -> None:
    old: Object = {"metadata": {"name": "team", "labels": {"kueue-managed": "true"}}}
    assert default_queues.is_managed(old)
    assert default_queues.missing_labels(old) == {"kueue.openshift.io/managed": "true"}
    assert not default_queues.is_managed({"metadata": {"name": "team", "labels": {"kueue-managed": "false"}}})
