"""What users get wrong: a clear answer, with the place, and nothing lost by it."""

import json
import re

import pytest

from tests.e2e.machine import POC, Machine, edited, job_set, manifest, pod, wait_for

pytestmark = pytest.mark.e2e

REFUSAL = (
    'Job.batch "requests-only-node-0" is invalid: spec.template.spec.containers[0].resources.limits: '
    "Required value: Limit must be set for non overcommitable resources"
)


def waiting(machine: Machine, name: str) -> str:
    """What the one container of a pod waits for."""
    [status] = machine.object("pod", name)["status"].get("containerStatuses") or [{}]
    state = (status.get("state") or {}).get("waiting") or {}
    return f"{state.get('reason')}: {state.get('message')}"


def unscheduled(machine: Machine, name: str) -> str:
    conditions = machine.object("pod", name)["status"].get("conditions") or ()
    return next((it.get("message", "") for it in conditions if it["type"] == "PodScheduled"), "")


def test_broken_yaml_starts_nothing_of_its_file(cluster: Machine) -> None:
    file = cluster.folder / "two.yaml"
    file.write_text(f"{job_set('first', 'true')}---\napiVersion: v1\nkind: Pod\nmetadata:\n\tname: second\n")
    broken = cluster.sidings("run", "-f", "two.yaml")
    assert broken.returncode == 4
    assert re.search(
        r"^error\[MANIFEST_INVALID\]: two\.yaml is not valid YAML\n  --> two\.yaml:22:1$", broken.stderr, re.M
    )
    assert cluster.objects("jobsets") == []
    assert "error converting YAML to JSON: yaml: line" in cluster.refused("apply", "-f", "two.yaml")


def test_an_unknown_field_is_named_with_its_path(cluster: Machine) -> None:
    text = edited(manifest("trainjob"), "numNodes", "numNodez")
    refused = cluster.refused("apply", "-f", "-", stdin=text)
    assert 'strict decoding error: unknown field "spec.trainer.numNodez"' in refused
    (cluster.folder / "job.yaml").write_text(text)
    run = cluster.sidings("run", "-f", "job.yaml")
    line = next(number for number, it in enumerate(text.splitlines(), 1) if "numNodez" in it)
    assert (run.returncode, f"--> job.yaml:{line}  spec.trainer.numNodez\n" in run.stderr) == (4, True), run.stderr
    assert cluster.objects("trainjobs") == []


def test_an_unknown_runtime_is_refused(cluster: Machine) -> None:
    text = edited(manifest("trainjob"), "name: torch-distributed", "name: tensorflow-distributed")
    words = "specified clusterTrainingRuntime must be created before the TrainJob is created"
    assert words in cluster.refused("apply", "-f", "-", stdin=text)
    run = cluster.sidings("run", "-f", "-", stdin=text)
    assert (run.returncode, words in run.stderr) == (4, True), run.stderr
    assert cluster.objects("trainjobs") == []


def test_requests_without_limits_are_told_where_the_user_looks(cluster: Machine) -> None:
    cluster.apply(manifest("requests-only"))
    wait_for(lambda: REFUSAL in cluster.reasons("TrainJob", "requests-only").get("JobCreationFailed", ""))
    assert REFUSAL in cluster.kubectl("describe", "trainjob", "requests-only", "-n", POC)
    told = cluster.ok("get", "-n", POC)
    assert re.search(r"TrainJob +requests-only +Queued +0/2 .*JobCreationFailed: ", told)
    assert REFUSAL in told
    assert cluster.objects("pods") == []


def test_a_pod_waits_for_its_config_map(cluster: Machine) -> None:
    volumes = [{"name": "settings", "configMap": {"name": "settings"}}]
    mount = {"volumeMounts": [{"name": "settings", "mountPath": "/settings"}]}
    cluster.apply(pod("volume", "cat /settings/rate", container=mount, volumes=volumes))
    key = {"configMapKeyRef": {"name": "settings", "key": "rate"}}
    cluster.apply(pod("variable", "echo $RATE", container={"env": [{"name": "RATE", "valueFrom": key}]}))
    wait_for(lambda: 'configmap "settings" not found' in waiting(cluster, "volume"))
    wait_for(lambda: 'configmap "settings" not found' in waiting(cluster, "variable"))
    assert waiting(cluster, "variable").startswith("CreateContainerConfigError")
    assert 'configmap "settings" not found' in cluster.event("Pod", "volume", "FailedMount")
    cluster.kubectl("create", "configmap", "settings", "--from-literal=rate=0.1")
    for name in ("volume", "variable"):
        cluster.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", f"pod/{name}", "--timeout=180s")
        assert cluster.kubectl("logs", name).strip() == "0.1"
    cluster.kubectl("delete", "configmap", "settings")


def test_a_pod_waits_for_its_claim(cluster: Machine) -> None:
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    mount = {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    cluster.apply(pod("reader", "touch /data/x; ls /data", container=mount, volumes=volumes))
    missing = 'persistentvolumeclaim "data" not found'
    wait_for(lambda: missing in unscheduled(cluster, "reader"))
    assert missing in cluster.kubectl("describe", "pod", "reader")
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": spec}
    cluster.apply(json.dumps(claim))
    cluster.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/reader", "--timeout=180s")
    assert cluster.kubectl("logs", "reader") == "x\n"


def test_a_command_that_does_not_exist_ends_with_127(cluster: Machine) -> None:
    cluster.apply(pod("typo", ["torchrunn", "train.py"]))
    cluster.kubectl("wait", "--for=jsonpath={.status.phase}=Failed", "pod/typo", "--timeout=180s")
    [status] = cluster.object("pod", "typo")["status"]["containerStatuses"]
    ended = status["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (127, "StartError")
    assert 'exec: "torchrunn": executable file not found in $PATH' in ended["message"]
    assert ended["message"] in cluster.event("Pod", "typo", "Failed")
    run = cluster.sidings("run", "-f", "-", stdin=edited(job_set("typo", "x"), "[/bin/sh, -c, 'x']", "[torchrunn]"))
    assert run.returncode == 1
    assert "exited with 127" in run.stderr
    assert "executable file not found in $PATH" in run.stderr


def test_a_volume_does_not_reach_what_is_hidden(cluster: Machine) -> None:
    def hosting(name: str, command: str, path: str) -> str:
        mount = {"volumeMounts": [{"name": "host", "mountPath": "/host"}]}
        return pod(name, command, container=mount, volumes=[{"name": "host", "hostPath": {"path": path}}])

    cluster.apply(hosting("direct", "ls /host", f"{cluster.home}/pki"))
    wait_for(lambda: "is refused" in waiting(cluster, "direct"))
    assert f"{cluster.home} is hidden from pods" in cluster.event("Pod", "direct", "FailedMount")

    cluster.apply(hosting("above", f"ls -A /host/{cluster.home.name} /host{cluster.home}", str(cluster.folder)))
    wait_for(lambda: cluster.object("pod", "above")["status"]["phase"] == "Failed")
    log = cluster.kubectl("logs", "above")
    assert "kubeconfig" not in log
    assert "token" not in log


def test_a_sub_path_does_not_leave_its_volume(cluster: Machine) -> None:
    def mounting(name: str, **sub_path: str) -> str:
        mount = {"name": "v", "mountPath": "/v", **sub_path}
        plant = {
            "name": "plant",
            "image": "python",
            "command": ["/bin/sh", "-c", "ln -s /etc /all/etc; ln -s ../../../.. /all/up"],
            "volumeMounts": [{"name": "v", "mountPath": "/all"}],
        }
        container = {"volumeMounts": [mount], "env": [{"name": "UP", "value": "../.."}]}
        volumes = [{"name": "v", "emptyDir": {}}]
        return pod(name, "ls /v", container=container, volumes=volumes, initContainers=[plant])

    refused = cluster.refused("apply", "-f", "-", stdin=mounting("dots", subPath="../.."))
    assert "spec.containers[0].volumeMounts[0].subPath: Invalid value: \"../..\": must not contain '..'" in refused
    for name, sub_path, reason in (
        ("etc", {"subPath": "etc"}, "subPath 'etc': it leads out of its volume"),
        ("up", {"subPath": "up/etc"}, "subPath 'up/etc': it leads out of its volume"),
        ("expanded", {"subPathExpr": "$(UP)"}, "subPath '../..' is refused"),
    ):
        cluster.apply(mounting(name, **sub_path))
        wait_for(lambda name=name, reason=reason: reason in waiting(cluster, name))  # type: ignore[misc]


def test_more_gpus_than_any_node_has_wait_with_the_numbers(cluster: Machine) -> None:
    text = edited(manifest("trainjob"), "nvidia.com/gpu: 1", "nvidia.com/gpu: 8")
    cluster.apply(text)
    numbers = (
        "0/4 nodes are available: 4 Insufficient nvidia.com/gpu. nvidia.com/gpu: the pod requests 8; "
        "node-1 1 free of 1, node-2 1 free of 1, node-3 1 free of 1, node-4 1 free of 1."
    )
    wait_for(lambda: numbers in cluster.ok("get", "-n", POC))
    assert re.search(r"TrainJob +pytorch-trainer-validation +Queued +0/2 ", cluster.ok("get", "-n", POC))
    [first, _] = cluster.objects("pods")
    assert numbers in cluster.kubectl("describe", "pod", first["metadata"]["name"], "-n", POC)
    cluster.apply(pod("modest", "echo ran", container={"resources": {"limits": {"nvidia.com/gpu": 1}}}))
    cluster.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/modest", "--timeout=180s")
