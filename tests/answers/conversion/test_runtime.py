import pytest

from sidings.answers.conversion import run_policy, runtime
from tests.answers.conversion.jobs import container, pods

NONE = run_policy.limits({}, "OnFailure")


@pytest.mark.parametrize(
    ("template", "needed"),
    [
        (pods()["template"], False),
        (pods(pod={"restartPolicy": "OnFailure"})["template"], False),
        (pods(1, container(resources={"limits": {"cpu": "1"}}, env=[]))["template"], False),
        (pods(pod={"nodeSelector": {"a": "b"}})["template"], True),
        (pods(1, container(volumeMounts=[{"name": "v", "mountPath": "/v"}]))["template"], True),
        (pods(1, container(), container("sidecar"))["template"], True),
        ({**pods()["template"], "metadata": {"annotations": {"a": "b"}}}, True),
    ],
)
def test_a_runtime_is_needed_for_what_a_trainjob_cannot_say(template, needed):
    assert runtime.is_needed(template, template["spec"]["containers"][0], NONE) is needed


def test_limits_of_jobs_need_a_runtime():
    template = pods()["template"]
    assert runtime.is_needed(template, template["spec"]["containers"][0], run_policy.limits({}, "Never"))


def test_the_runtime_holds_the_old_pod_with_the_new_container_name():
    mounts = [{"name": "v", "mountPath": "/v"}]
    main = container(volumeMounts=mounts)
    template = pods(1, container("sidecar"), main, pod={"nodeSelector": {"a": "b"}})["template"]
    limits = run_policy.limits({"backoffLimit": 2}, "Never")
    part = runtime.part("node", template, main, limits, trains=True)
    job = {"metadata": {"name": "old", "namespace": "ns"}}
    made = runtime.build(job, "torch", {"torch": {}}, {"ttlSecondsAfterFinished": 1}, [part])
    assert made["metadata"] == {"name": "old", "namespace": "ns", "labels": {"trainer.kubeflow.org/framework": "torch"}}
    assert made["spec"]["template"]["spec"] == {"ttlSecondsAfterFinished": 1, "replicatedJobs": [part]}
    assert part["template"]["spec"]["backoffLimit"] == 0
    pod = part["template"]["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"a": "b"}
    assert pod["restartPolicy"] == "Never"
    assert pod["containers"] == [container("sidecar"), {**main, "name": "node"}]


def test_what_the_train_job_says_is_not_in_the_runtime():
    assert runtime.without(container(volumeMounts=[], env=[{"name": "A"}])) == {
        "name": "pytorch",
        "volumeMounts": [],
        "image": "img:1",
    }
