from sidings.api.objects import Object
from sidings.cli.commands.status import node_answer
from tests.answers.objects import job, pod


def node() -> Object:
    return {
        "metadata": {"name": "node-1"},
        "spec": {},
        "status": {
            "allocatable": {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "2", "pods": "110"},
            "conditions": [
                {"type": "Ready", "status": "True"},
                {"type": "sidings.dev/Sandbox", "status": "True", "reason": "FullNamespaces"},
            ],
        },
    }


def test_what_unfinished_pods_request_is_used() -> None:
    child = job(None)
    runs = pod(child, 0, "Running", node="node-1")
    runs["spec"]["containers"] = [
        {"resources": {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"nvidia.com/gpu": 1}}}
    ]
    done, elsewhere = pod(child, 1, "Succeeded", node="node-1"), pod(child, 2, "Running", node="node-2")
    for other in (done, elsewhere):
        other["spec"] = {**runs["spec"], "nodeName": other["spec"]["nodeName"]}
    assert node_answer(node(), [runs, done, elsewhere]) == {
        "name": "node-1",
        "state": "Ready",
        "cordoned": False,
        "cpu": "500m/8",
        "memory": "1Gi/64Gi",
        "gpu": "1/2",
        "pods": "1/110",
        "sandbox": "FullNamespaces",
        "taints": [],
    }


def test_a_node_that_is_not_ready_or_cordoned_says_so() -> None:
    one = node()
    one["status"]["conditions"] = []
    one["spec"]["unschedulable"] = True
    answer = node_answer(one, [])
    assert (answer["state"], answer["cordoned"], answer["cpu"]) == ("NotReady", True, "0/8")
