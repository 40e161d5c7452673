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
    made = runtime.build("old", "ns", "torch", template, main, run_policy.limits({"backoffLimit": 2}, "Never"))
    assert made["metadata"] == {"name": "old", "namespace": "ns", "labels": {"trainer.kubeflow.org/framework": "torch"}}
    (job,) = made["spec"]["template"]["spec"]["replicatedJobs"]
    assert job["template"]["spec"]["backoffLimit"] == 0
    pod = job["template"]["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"a": "b"}
    assert pod["restartPolicy"] == "Never"
    assert pod["containers"] == [{"name": "node", "image": "img:1", "volumeMounts": mounts}, container("sidecar")]
