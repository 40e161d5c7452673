"""What the API refuses of Kueue's own kinds, against a real registry; words as recorded and as Kueue v0.19 has them."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object, copy_of
from sidings.api.resources import CLUSTER_QUEUES, COHORTS, RESOURCE_FLAVORS, TOPOLOGIES, WORKLOADS
from sidings.api.status import Forbidden, Invalid
from tests.registry.conftest import Api

GROUPS = "spec.resourceGroups"


def quota(name: str = "cpu", nominal: str = "4", **limits: str) -> Object:
    return {"name": name, "nominalQuota": nominal, **limits}


def group(*flavors: tuple[str, list[Object]], covered: list[str] | None = None) -> Object:
    entries = [{"name": name, "resources": quotas} for name, quotas in flavors]
    return {"coveredResources": covered or ["cpu"], "flavors": entries}


def cluster_queue(*groups: Object, **spec: Any) -> Object:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "cq"},
        "spec": {"namespaceSelector": {}, "resourceGroups": list(groups) or [group(("f", [quota()]))], **spec},
    }


def workload(**spec: Any) -> Object:
    template = {"spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {"name": "w"},
        "spec": {"queueName": "lq", "podSets": [{"name": "main", "count": 2, "template": template}], **spec},
    }


DENIED = {
    "negative quota": (
        cluster_queue(group(("f", [quota(nominal="-1")]))),
        f'{GROUPS}[0].flavors[0].resources[0].nominalQuota: Invalid value: "-1": must be greater than or equal to 0',
    ),
    "lending without cohort": (
        cluster_queue(group(("f", [quota(lendingLimit="1")]))),
        f'{GROUPS}[0].flavors[0].resources[0].lendingLimit: Invalid value: "1": must be nil when cohort is empty',
    ),
    "lending above nominal": (
        cluster_queue(group(("f", [quota(lendingLimit="5")])), cohortName="co"),
        f'{GROUPS}[0].flavors[0].resources[0].lendingLimit: Invalid value: "5": '
        "must be less than or equal to the nominalQuota",
    ),
    "a resource in two groups": (
        cluster_queue(group(("f", [quota()])), group(("g", [quota()]))),
        f'{GROUPS}[1].coveredResources[0]: Duplicate value: "cpu"',
    ),
    "a flavor in two groups": (
        cluster_queue(group(("f", [quota()])), group(("f", [quota("memory")]), covered=["memory"])),
        f'{GROUPS}[1].flavors[0].name: Duplicate value: "f"',
    ),
    "another order": (
        cluster_queue(group(("f", [quota("memory"), quota("cpu")]), covered=["cpu", "memory"])),
        f'[{GROUPS}[0].flavors[0].resources[0].name: Invalid value: "memory": must match the name in coveredResources, '
        f'{GROUPS}[0].flavors[0].resources[1].name: Invalid value: "cpu": must match the name in coveredResources]',
    ),
    "a selector that is none": (
        cluster_queue(namespaceSelector={"matchExpressions": [{"key": "a", "operator": "In"}]}),
        "spec.namespaceSelector.matchExpressions[0].values: Required value: "
        "must be specified when `operator` is 'In' or 'NotIn'",
    ),
    "negative weight": (
        cluster_queue(fairSharing={"weight": "-1"}),
        'spec.fairSharing.weight: Invalid value: "-1": must be greater than or equal to 0',
    ),
}

INVALID = {
    "borrowing without cohort": (
        cluster_queue(group(("f", [quota(borrowingLimit="1")]))),
        "spec: Invalid value: borrowingLimit must be nil when cohort is empty",
    ),
    "too few resources": (
        cluster_queue(group(("f", [quota()]), covered=["cpu", "memory"])),
        f"{GROUPS}[0]: Invalid value: flavors must have the same number of resources as the coveredResources",
    ),
    "no reclaim but borrowing": (
        cluster_queue(preemption={"borrowWithinCohort": {"policy": "LowerPriority"}}),
        "spec.preemption: Invalid value: reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never",
    ),
    "preference alone": (
        cluster_queue(flavorFungibility={"preference": "BorrowingOverPreemption"}),
        "spec.flavorFungibility: Invalid value: preference can only be set when both whenCanBorrow and whenCanPreempt "
        "are TryNextFlavor",
    ),
}


@pytest.mark.parametrize("name", DENIED)
async def test_the_webhook_denies(api: Api, name: str) -> None:
    obj, text = DENIED[name]
    with pytest.raises(Forbidden) as refusal:
        await api.create(CLUSTER_QUEUES, copy_of(obj))
    assert refusal.value.message == f'admission webhook "vclusterqueue.kb.io" denied the request: {text}'


@pytest.mark.parametrize("name", INVALID)
async def test_the_schema_refuses(api: Api, name: str) -> None:
    obj, text = INVALID[name]
    with pytest.raises(Invalid) as refusal:
        await api.create(CLUSTER_QUEUES, copy_of(obj))
    assert refusal.value.message == f'ClusterQueue.kueue.x-k8s.io "cq" is invalid: {text}'


async def test_a_cluster_queue_gets_defaults_and_a_finalizer(api: Api) -> None:
    created = await api.create(CLUSTER_QUEUES, cluster_queue())
    assert created["metadata"]["finalizers"] == ["kueue.x-k8s.io/resource-in-use"]
    assert created["spec"] == {
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        "namespaceSelector": {},
        "preemption": {
            "borrowWithinCohort": {"policy": "Never"},
            "reclaimWithinCohort": "Never",
            "withinClusterQueue": "Never",
        },
        "queueingStrategy": "BestEffortFIFO",
        "resourceGroups": [group(("f", [quota()]))],
        "stopPolicy": "None",
    }


async def test_a_cohort_may_lend_what_its_members_offer(api: Api) -> None:
    obj = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Cohort",
        "metadata": {"name": "co"},
        "spec": {"resourceGroups": [group(("f", [quota(lendingLimit="9")]))]},
    }
    with pytest.raises(Forbidden, match="must be nil when parent is empty"):
        await api.create(COHORTS, copy_of(obj))
    obj["spec"]["parentName"] = "root"
    assert await api.create(COHORTS, obj)


async def test_flavors_refuse_what_recorded_ones_did(api: Api) -> None:
    flavor = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "rf"}}
    taint = {**flavor, "spec": {"nodeTaints": [{"key": "a", "effect": "Zz"}]}}
    with pytest.raises(Invalid) as refusal:
        await api.create(RESOURCE_FLAVORS, taint)
    assert refusal.value.message == (
        'ResourceFlavor.kueue.x-k8s.io "rf" is invalid: spec.nodeTaints: Invalid value: supported taint effect values: '
        "'NoSchedule', 'PreferNoSchedule', 'NoExecute'"
    )
    many = {**flavor, "spec": {"nodeLabels": {f"l{number}": "1" for number in range(9)}}}
    with pytest.raises(Invalid, match="some validation rules were not checked"):
        await api.create(RESOURCE_FLAVORS, many)
    with pytest.raises(Invalid, match="at least one nodeLabel is required when topology is set"):
        await api.create(RESOURCE_FLAVORS, {**flavor, "spec": {"topologyName": "t"}})


@pytest.mark.parametrize(
    ("levels", "text"),
    [
        (["a", "a"], "spec.levels: Invalid value: must be unique"),
        (
            ["kubernetes.io/hostname", "a"],
            "spec.levels: Invalid value: the kubernetes.io/hostname label can only be used at the lowest level of "
            "topology",
        ),
    ],
)
async def test_levels_of_a_topology(api: Api, levels: list[str], text: str) -> None:
    obj = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Topology",
        "metadata": {"name": "t"},
        "spec": {"levels": [{"nodeLabel": level} for level in levels]},
    }
    with pytest.raises(Invalid) as refusal:
        await api.create(TOPOLOGIES, obj)
    assert text in refusal.value.message


async def test_a_workload_stands_still_while_it_has_quota(api: Api) -> None:
    obj = await api.create(WORKLOADS, workload())
    obj["status"] = {
        "conditions": [
            {
                "type": "QuotaReserved",
                "status": "True",
                "reason": "QuotaReserved",
                "message": "",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
        ],
        "admission": {
            "clusterQueue": "cq",
            "podSetAssignments": [
                {"name": "main", "count": 2, "flavors": {"cpu": "f"}, "resourceUsage": {"cpu": "2"}},
            ],
        },
    }
    obj = await api.update(WORKLOADS, obj, subresource="status")
    moved = copy_of(obj)
    moved["spec"]["queueName"] = "other"
    with pytest.raises(Invalid, match="queueName is immutable while workload quota reserved"):
        await api.update(WORKLOADS, moved)
    more = copy_of(obj)
    more["spec"]["podSets"][0]["count"] = 3
    with pytest.raises(Forbidden, match="field is immutable"):
        await api.update(WORKLOADS, more)
    other = copy_of(obj)
    other["status"]["admission"]["podSetAssignments"][0]["flavors"]["cpu"] = "g"
    with pytest.raises(Forbidden, match=r"status\.admission: .*field is immutable"):
        await api.update(WORKLOADS, other, subresource="status")


async def test_workloads_that_are_refused(api: Api) -> None:
    obj = workload()
    obj["spec"]["podSets"][0]["template"]["spec"]["containers"][0]["resources"]["requests"]["pods"] = "1"
    with pytest.raises(Forbidden, match="the key is reserved for internal kueue use"):
        await api.create(WORKLOADS, obj)
    obj = workload(priorityClassRef={"group": "kueue.x-k8s.io", "kind": "PriorityClass", "name": "p"}, priority=1)
    with pytest.raises(Invalid, match="only the WorkloadPriorityClass kind is allowed"):
        await api.create(WORKLOADS, obj)
    obj = workload()
    obj["spec"]["podSets"][0]["minCount"] = 3
    with pytest.raises(Invalid, match="minCount should be positive and less or equal to count"):
        await api.create(WORKLOADS, obj)
