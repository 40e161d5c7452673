from sidings.api.jobset import exclusive_placement as placement
from sidings.api.jobset import labels
from sidings.api.objects import Object

HOST = "kubernetes.io/hostname"


def pod(index: int, *, node: str = "", owner: str = "job", **spec: object) -> Object:
    return {
        "metadata": {
            "annotations": {
                "batch.kubernetes.io/job-completion-index": str(index),
                labels.EXCLUSIVE_TOPOLOGY: HOST,
            },
            "labels": {labels.JOB_KEY: "key", labels.PRIORITY: "0"},
            "ownerReferences": [{"uid": owner, "controller": True}],
        },
        "spec": {"nodeName": node, **spec},
        "status": {"phase": "Pending"},
    }


def test_the_first_pod_keeps_other_jobs_away() -> None:
    leader = pod(0)
    placement.lead(leader)
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    (near,) = leader["spec"]["affinity"]["podAffinity"][required]
    (far,) = leader["spec"]["affinity"]["podAntiAffinity"][required]
    assert near["topologyKey"] == far["topologyKey"] == HOST
    assert near["labelSelector"]["matchExpressions"] == [{"key": labels.JOB_KEY, "operator": "In", "values": ["key"]}]
    assert [e["operator"] for e in far["labelSelector"]["matchExpressions"]] == ["Exists", "NotIn", "In"]


def test_the_others_follow_to_its_domain() -> None:
    follower = pod(1)
    placement.follow(follower, {"metadata": {"labels": {HOST: "node-1"}}})
    assert follower["spec"]["nodeSelector"] == {HOST: "node-1"}
    assert placement.complaint(follower, [pod(0, node="node-1")]) == ""


def test_a_node_outside_the_topology_leads_nowhere() -> None:
    follower = pod(1)
    placement.follow(follower, {"metadata": {}})
    assert placement.complaint(follower, []) == placement.NO_SELECTOR


def test_why_a_follower_has_to_wait() -> None:
    assert placement.complaint(pod(1), []) == "follower pod node selector not set"
    assert placement.complaint(pod(1, nodeSelector={"a": "b"}), []) == (
        f"follower pod node selector for topology domain not found. missing selector: {HOST}"
    )
    ready = pod(1, nodeSelector={HOST: "node-1"})
    assert (
        placement.complaint(ready, []) == "expected 1 leader pod (key), but got 0. this is an expected, transient error"
    )
    assert placement.complaint(ready, [pod(0)]) == placement.UNSCHEDULED
    assert placement.complaint(ready, [pod(0, node="n", owner="other")]) == (
        "follower pod owner UID (job) != leader pod owner UID (other)"
    )


def test_leaders_that_end_do_not_count() -> None:
    ended, leaving, other = pod(0), pod(0), pod(0)
    ended["status"]["phase"] = "Failed"
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    other["metadata"]["labels"][labels.JOB_KEY] = "other"
    leader = pod(0)
    assert placement.leaders_of(pod(1), [ended, leaving, other, pod(1), leader]) == [leader]


def test_with_labelled_nodes_nothing_applies() -> None:
    labelled = pod(0)
    labelled["metadata"]["annotations"][labels.NODE_SELECTOR] = "true"
    assert placement.topology_key(labelled) == ""
    assert placement.topology_key(pod(0)) == HOST
