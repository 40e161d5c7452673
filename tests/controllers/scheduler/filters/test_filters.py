"""Each reason to stay off a node."""

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.controllers.scheduler.filters import affinity, fit, ports, selector, taints, unschedulable
from sidings.controllers.scheduler.snapshot import NodeState, take
from tests.controllers.pods import node, pod

TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


def state(**wanted: Any) -> NodeState:
    return take([node("n", **wanted)], []).nodes["n"]


@pytest.mark.parametrize(
    ("toleration", "passes"),
    [
        ({"key": "nvidia.com/gpu", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "nvidia.com/gpu", "value": "present"}, True),
        ({"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}, True),
        ({"key": "nvidia.com/gpu", "value": "other"}, False),
        ({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_taints(toleration: Object, passes: bool) -> None:
    tainted = state(taints=[TAINT])
    assert taints.reasons(pod(), tainted) == ["node(s) had untolerated taint {nvidia.com/gpu: present}"]
    assert (taints.reasons(pod(tolerations=[toleration]), tainted) == []) is passes


def test_prefer_no_schedule_does_not_forbid() -> None:
    assert taints.reasons(pod(), state(taints=[TAINT | {"effect": "PreferNoSchedule"}])) == []


def test_a_host_port_is_taken_once_by_protocol() -> None:
    def asking(protocol: str = "TCP") -> Object:
        made = pod(nodeName="n")
        made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080, "protocol": protocol}]
        return made

    taken = take([node("n")], [asking()]).nodes["n"]
    assert ports.reasons(asking(), taken) == [ports.REASON]
    assert ports.reasons(asking("UDP"), taken) == ports.reasons(pod(), taken) == []
    assert ports.reasons(asking(), state()) == []


def test_cordoned() -> None:
    cordoned = state()
    cordoned.node["spec"]["unschedulable"] = True
    assert unschedulable.reasons(pod(), cordoned) == ["node(s) were unschedulable"]
    tolerant = pod(tolerations=[{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}])
    assert unschedulable.reasons(tolerant, cordoned) == []


def test_node_selector() -> None:
    here = state(labels={"zone": "a"})
    assert selector.reasons(pod(nodeSelector={"zone": "a"}), here) == []
    assert selector.reasons(pod(nodeSelector={"zone": "b"}), here) == [selector.REASON]
    assert selector.reasons(pod(nodeSelector={"disk": "ssd"}), here) == [selector.REASON]


@pytest.mark.parametrize(
    ("expression", "passes"),
    [
        ({"key": "zone", "operator": "In", "values": ["a", "b"]}, True),
        ({"key": "zone", "operator": "NotIn", "values": ["a"]}, False),
        ({"key": "disk", "operator": "NotIn", "values": ["ssd"]}, True),
        ({"key": "zone", "operator": "Exists"}, True),
        ({"key": "zone", "operator": "DoesNotExist"}, False),
        ({"key": "count", "operator": "Gt", "values": ["7"]}, True),
        ({"key": "count", "operator": "Lt", "values": ["7"]}, False),
        ({"key": "zone", "operator": "Gt", "values": ["7"]}, False),
    ],
)
def test_node_affinity(expression: Object, passes: bool) -> None:
    required = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    wanting = pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}})
    here = state(labels={"zone": "a", "count": "8"})
    assert (affinity.reasons(wanting, here) == []) is passes


def test_one_term_is_enough_and_an_empty_one_matches_nothing() -> None:
    def wanting(*terms: Object) -> Object:
        required = {"nodeSelectorTerms": list(terms)}
        return pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}})

    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}
    assert affinity.reasons(wanting({}), state()) == [selector.REASON]
    assert affinity.reasons(wanting({}, named), state()) == []


def test_resources() -> None:
    small = state(cpu="1", memory="1Gi", pods="1")
    assert fit.reasons(pod(requests={"cpu": "1", "memory": "1Gi"}), small) == []
    assert fit.reasons(pod(requests={"cpu": "1001m", "memory": "2Gi", "nvidia.com/gpu": "1"}), small) == [
        "Insufficient cpu",
        "Insufficient memory",
        "Insufficient nvidia.com/gpu",
    ]
    small.add({"pods": small.free("pods")})
    assert fit.reasons(pod(), small) == [fit.TOO_MANY_PODS]
