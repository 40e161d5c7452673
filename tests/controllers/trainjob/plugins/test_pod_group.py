"""PodGroups for gang schedulers (cases P1 to P5)."""

from __future__ import annotations

from typing import Any

from sidings.api.objects import Object
from sidings.controllers.trainjob import job_set
from sidings.controllers.trainjob.job_set import Built
from tests.trainjobs import initializer_job, patch, runtime, train_job, trainer_job

REQUESTS = {"requests": {"cpu": "1", "memory": "4Gi"}}


def built(policy: Object, trainer: Object | None = None, *, resources: Object = REQUESTS, **spec: Any) -> Built:
    jobs = [initializer_job(f"{name}-initializer", resources=resources) for name in ("dataset", "model")]
    made = runtime(*jobs, trainer_job(resources=resources), policy={"numNodes": 100})
    made["spec"]["podGroupPolicy"] = policy
    return job_set.build(train_job(trainer if trainer is not None else {}, **spec), made)


def group_of(found: Built) -> Object:
    (companion,) = found.companions
    return companion.make()


def pod_metadata(found: Built) -> list[Object]:
    return [job["template"]["spec"]["template"]["metadata"] for job in found.job_set["spec"]["replicatedJobs"]]


def test_members_and_resources_are_those_of_all_pods() -> None:
    found = built({"coscheduling": {"scheduleTimeoutSeconds": 120}})
    group = group_of(found)
    assert (group["apiVersion"], group["kind"]) == ("scheduling.x-k8s.io/v1alpha1", "PodGroup")
    assert (group["metadata"]["name"], group["metadata"]["ownerReferences"][0]["kind"]) == ("tj", "TrainJob")
    resources = {"cpu": "102", "memory": "408Gi"}
    assert group["spec"] == {"minMember": 102, "minResources": resources, "scheduleTimeoutSeconds": 120}
    assert [item["labels"] for item in pod_metadata(found)] == [{"scheduling.x-k8s.io/pod-group": "tj"}] * 3


def test_nodes_of_the_job_count() -> None:
    group = group_of(built({"coscheduling": {}}, {"numNodes": 30}, resources={"requests": {"cpu": "1"}}, suspend=True))
    assert group["spec"] == {"minMember": 32, "minResources": {"cpu": "32"}, "scheduleTimeoutSeconds": 60}


def test_a_group_of_a_running_job_is_left_alone() -> None:
    assert [built({"coscheduling": {}}, suspend=suspend).companions[0].once for suspend in (False, True)] == [
        True,
        False,
    ]


def test_volcano_takes_its_queue_from_the_job_set() -> None:
    queue = patch(metadata={"annotations": {"scheduling.volcano.sh/queue-name": "q1"}})
    found = built({"volcano": {"networkTopology": {"mode": "soft"}}}, {"numNodes": 3}, runtimePatches=[queue])
    group = group_of(found)
    assert group["apiVersion"] == "scheduling.volcano.sh/v1beta1"
    assert group["spec"] == {
        "minMember": 5,
        "minResources": {"cpu": "5", "memory": "20Gi"},
        "queue": "q1",
        "networkTopology": {"mode": "soft"},
    }
    assert pod_metadata(found)[0]["annotations"] == {"scheduling.k8s.io/group-name": "tj"}


def test_volcano_takes_the_priority_of_the_pods() -> None:
    made = runtime(trainer_job(pod_spec={"priorityClassName": "high"}))
    made["spec"]["podGroupPolicy"] = {"volcano": {}}
    assert group_of(job_set.build(train_job({}), made))["spec"]["priorityClassName"] == "high"
