"""Binding, eviction, and what a subresource is not."""

from __future__ import annotations

import pytest

from sidings.api.conditions import find
from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS, JOB_SETS, PODS
from sidings.api.status import Conflict, Invalid, MethodNotAllowed, NotFound, Timeout
from sidings.registry.subresources import CREATED


def binding(node: str, **metadata: str) -> Object:
    return {"metadata": {"name": "p", **metadata}, "target": {"kind": "Node", "name": node}}


async def bind(api, body: Object) -> Object:
    return await api.registry.create_subresource(api.kind(PODS), "p", "binding", body, "default")


async def evict(api, body: Object) -> Object:
    return await api.registry.create_subresource(api.kind(PODS), "p", "eviction", body, "default")


async def test_a_pod_is_bound_to_a_node_once(api, pod: Object) -> None:
    await api.create(PODS, pod)
    assert await bind(api, binding("node-1")) == CREATED
    bound = api.get(PODS, "p")
    assert bound["spec"]["nodeName"] == "node-1"
    assert bound["metadata"]["generation"] == 1
    assert find(bound["status"]["conditions"], "PodScheduled") == {
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    with pytest.raises(Conflict) as caught:
        await bind(api, binding("node-2"))
    assert caught.value.message == (
        'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "node-1"'
    )


async def test_what_cannot_be_bound(api, pod: Object) -> None:
    with pytest.raises(NotFound, match=r'pods "p" not found'):
        await bind(api, binding("node-1"))
    pod["spec"]["schedulingGates"] = [{"name": "a.io/wait"}]
    await api.create(PODS, pod)
    with pytest.raises(Conflict, match=r"pod p has non-empty .spec.schedulingGates"):
        await bind(api, binding("node-1"))
    with pytest.raises(Conflict, match="UID in precondition: 1234"):
        await bind(api, binding("node-1", uid="1234"))
    with pytest.raises(Invalid, match=r"target.name: Required value"):
        await bind(api, {"metadata": {}, "target": {}})


async def test_scheduling_ends_the_condition_that_said_why_not(api, pod: Object) -> None:
    await api.create(PODS, pod)
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/0 nodes"}
    await api.patch(PODS, "p", {"status": {"conditions": [condition]}}, subresource="status")
    await bind(api, binding("node-1"))
    (scheduled,) = api.get(PODS, "p")["status"]["conditions"]
    assert scheduled["status"] == "True"
    assert "reason" not in scheduled


async def test_an_evicted_pod_says_so_and_goes(api, pod: Object) -> None:
    with pytest.raises(NotFound):
        await evict(api, {"metadata": {"name": "p"}})
    await api.create(PODS, pod)
    await bind(api, binding("node-1"))
    assert await evict(api, {"metadata": {"name": "p"}}) == CREATED
    going = api.get(PODS, "p")
    assert going["metadata"]["deletionGracePeriodSeconds"] == 30
    disrupted = find(going["status"]["conditions"], "DisruptionTarget")
    assert disrupted is not None
    assert disrupted["reason"] == "EvictionByEvictionAPI"


async def test_an_eviction_carries_delete_options(api, pod: Object) -> None:
    await api.create(PODS, pod)
    await bind(api, binding("node-1"))
    await evict(api, {"metadata": {"name": "p"}, "deleteOptions": {"dryRun": ["All"]}})
    assert "deletionTimestamp" not in api.get(PODS, "p")["metadata"]
    await evict(api, {"metadata": {"name": "p"}, "deleteOptions": {"gracePeriodSeconds": 3}})
    assert api.get(PODS, "p")["metadata"]["deletionGracePeriodSeconds"] == 3


async def test_what_is_no_subresource(api, config_map: Object, jobset: Object) -> None:
    await api.create(CONFIG_MAPS, config_map)
    with pytest.raises(NotFound) as caught:
        api.registry.get(api.kind(CONFIG_MAPS), "c", "default", subresource="status")
    assert caught.value.to_status()["details"] == {}
    await api.create(JOB_SETS, jobset)
    with pytest.raises(
        MethodNotAllowed, match=r'create is not supported on resources of kind "jobsets.jobset.x-k8s.io"'
    ):
        await api.registry.create_subresource(api.kind(JOB_SETS), "js", "status", jobset, "default")
    with pytest.raises(NotFound, match=r'jobsets.jobset.x-k8s.io "js" not found'):
        await api.registry.create_subresource(api.kind(JOB_SETS), "js", "scale", jobset, "default")


async def test_a_read_at_a_version_of_the_future(api, config_map: Object) -> None:
    await api.create(CONFIG_MAPS, config_map)
    kind = api.kind(CONFIG_MAPS)
    assert api.registry.get(kind, "c", "default", resource_version=str(api.store.revision)).object["data"]
    with pytest.raises(Timeout, match="Too large resource version: 999999999"):
        api.registry.get(kind, "c", "default", resource_version="999999999")
