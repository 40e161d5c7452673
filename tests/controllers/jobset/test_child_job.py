from sidings.api import objects
from sidings.api.jobset import labels
from sidings.controllers.jobset.child_job import job_for, place
from tests.controllers.jobset.cluster import group, make_jobset

PLACE = {
    labels.JOBSET_NAME: "js",
    labels.JOBSET_UID: "js-uid",
    labels.REPLICATED_JOB_NAME: "b",
    labels.REPLICATED_JOB_REPLICAS: "3",
    labels.GLOBAL_REPLICAS: "4",
    labels.JOB_INDEX: "2",
    labels.JOB_GLOBAL_INDEX: "3",
    labels.RESTART_ATTEMPT: "0",
    labels.GROUP_NAME: "default",
    labels.GROUP_REPLICAS: "4",
    labels.JOB_GROUP_INDEX: "3",
}


def child(jobset: dict, number: int = 0, index: int = 0) -> dict:
    return job_for(jobset, jobset["spec"]["replicatedJobs"][number], index)


def test_job_and_pods_carry_their_place_as_labels_and_annotations() -> None:
    job = child(make_jobset(), 1, 2)
    template = job["spec"]["template"]
    for metadata in (job["metadata"], template["metadata"]):
        for found in (metadata["labels"], metadata["annotations"]):
            assert {key: found[key] for key in PLACE} == PLACE
            assert len(found[labels.JOB_KEY]) == 40
            assert set(found) == {*PLACE, labels.JOB_KEY}


def test_the_users_own_labels_stay_and_ours_win() -> None:
    made = group("a")
    made["template"]["metadata"] = {"labels": {"mine": "1", labels.JOB_INDEX: "x"}}
    made["template"]["spec"]["template"]["metadata"] = {"annotations": {"his": "2"}}
    job = child(make_jobset(made))
    assert job["metadata"]["labels"]["mine"] == "1"
    assert job["metadata"]["labels"][labels.JOB_INDEX] == "0"
    assert job["spec"]["template"]["metadata"]["annotations"]["his"] == "2"
    assert "mine" not in job["spec"]["template"]["metadata"]["labels"]


def test_the_attempt_is_that_of_the_status() -> None:
    jobset = {**make_jobset(), "status": {"restarts": 2}}
    assert child(jobset)["metadata"]["labels"][labels.RESTART_ATTEMPT] == "2"


def test_groups_have_an_order_of_their_own() -> None:
    jobset = make_jobset(group("a", groupName="g1"), group("b", 2, groupName="g2"), group("c", 3, groupName="g1"))
    facts = place(jobset, jobset["spec"]["replicatedJobs"][2], 1)
    assert (facts[labels.JOB_GROUP_INDEX], facts[labels.GROUP_REPLICAS]) == ("2", "4")
    assert (facts[labels.JOB_GLOBAL_INDEX], facts[labels.GLOBAL_REPLICAS]) == ("4", "6")


def test_name_owner_and_suspension() -> None:
    jobset = make_jobset()
    job = child(jobset, 1, 2)
    assert objects.key_of(job) == ("ns", "js-b-2")
    assert job["metadata"]["ownerReferences"] == [objects.controller_ref(jobset)]
    assert job["spec"]["suspend"] is False
    assert child(make_jobset(suspend=True))["spec"]["suspend"] is True


def test_host_names_live_in_the_subdomain() -> None:
    assert child(make_jobset())["spec"]["template"]["spec"]["subdomain"] == "js"
    named = make_jobset(network={"subdomain": "net"})
    assert child(named)["spec"]["template"]["spec"]["subdomain"] == "net"


def test_the_coordinator_is_known_to_all() -> None:
    job = child(make_jobset(coordinator={"replicatedJob": "a"}), 1)
    assert job["metadata"]["labels"][labels.COORDINATOR] == "js-a-0-0.js"


def test_exclusive_placement_by_labelled_nodes() -> None:
    annotations = {labels.EXCLUSIVE_TOPOLOGY: "rack", labels.NODE_SELECTOR: "true"}
    pod_spec = child(make_jobset(annotations=annotations))["spec"]["template"]["spec"]
    assert pod_spec["nodeSelector"] == {labels.NAMESPACED_JOB: "ns_js-a-0"}
    assert pod_spec["tolerations"] == [{"key": labels.NO_SCHEDULE_TAINT, "operator": "Exists", "effect": "NoSchedule"}]


def test_exclusive_placement_by_webhook_only_annotates() -> None:
    job = child(make_jobset(annotations={labels.EXCLUSIVE_TOPOLOGY: "rack"}))
    assert job["spec"]["template"]["metadata"]["annotations"][labels.EXCLUSIVE_TOPOLOGY] == "rack"
    assert "nodeSelector" not in job["spec"]["template"]["spec"]
    alone = child(make_jobset(annotations={labels.NODE_SELECTOR: "true"}))
    assert labels.NODE_SELECTOR not in alone["metadata"]["annotations"]


def test_the_jobset_is_not_changed() -> None:
    jobset = make_jobset(annotations={labels.EXCLUSIVE_TOPOLOGY: "rack", labels.NODE_SELECTOR: "true"})
    before = objects.copy_of(jobset)
    child(jobset)
    assert jobset == before
