"""What people do with kubectl while jobs run: read, wait, watch, describe, explain, delete."""

import itertools
import re

import pytest

from tests.e2e.machine import Machine, edited, job_set, pod, wait_for

pytestmark = pytest.mark.e2e


def processes(machine: Machine, marker: str) -> list[str]:
    return [left for left in machine.leftovers() if marker in left]


def test_logs_of_all_pods_are_followed_to_their_end(cluster: Machine) -> None:
    cluster.apply(job_set("ranks", "for i in 1 2 3; do echo line $i; sleep 0.5; done", pods=2))
    wait_for(lambda: cluster.kubectl("get", "pods", "--no-headers").count("Running") == 2)
    log = cluster.kubectl("logs", "-f", "-l", "jobset.sigs.k8s.io/jobset-name=ranks", "--prefix")
    for rank in (0, 1):
        own = [line for line in log.splitlines() if line.startswith(f"[pod/ranks-main-0-{rank}-")]
        assert [line.partition("] ")[2] for line in own] == ["line 1", "line 2", "line 3"]


def test_logs_of_the_container_before(cluster: Machine) -> None:
    script = "[ -e /v/again ] && { echo second; exec sleep 600; }; touch /v/again; echo first; exit 4"
    mount = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    volumes = [{"name": "v", "emptyDir": {}}]
    cluster.apply(pod("flaky", script, container=mount, volumes=volumes, restartPolicy="OnFailure"))
    wait_for(lambda: cluster.try_kubectl("logs", "flaky").stdout == "second\n")
    assert cluster.kubectl("logs", "flaky", "--previous") == "first\n"
    assert re.match(r"flaky +1/1 +Running +1 \(", cluster.kubectl("get", "pod", "flaky", "--no-headers"))
    described = cluster.kubectl("describe", "pod", "flaky")
    assert re.search(r"Last State: +Terminated\n +Reason: +Error\n +Exit Code: +4", described)
    assert re.search(r"Restart Count: +1", described)


def test_a_pod_that_is_watched_from_birth_to_death(cluster: Machine) -> None:
    cluster.apply(pod("waits", "true", nodeSelector={"no": "node"}))
    with cluster.start_kubectl("get", "pods", "-w", "--output-watch-events", "--no-headers") as watching:
        assert watching.stdout is not None
        assert watching.stdout.readline().split()[:4] == ["ADDED", "waits", "0/1", "Pending"]
        cluster.apply(pod("short", "sleep 0.5; echo out"))
        cluster.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/short", "--timeout=180s")
        cluster.kubectl("delete", "pod", "short")
        cluster.kubectl("wait", "--for=delete", "pod/short", "--timeout=180s")
        seen = []
        for line in watching.stdout:
            event, name, _, state = line.split()[:4]
            if name == "short":
                seen.append(state)
            if event == "DELETED":
                break
        watching.kill()
    assert [state for state, _ in itertools.groupby(seen)] == ["Pending", "Running", "Completed"]


def test_describe_says_what_happened_to_a_pod(cluster: Machine) -> None:
    cluster.apply(pod("fails", "echo bad; exit 7", container={"resources": {"limits": {"nvidia.com/gpu": 1}}}))
    cluster.kubectl("wait", "--for=jsonpath={.status.phase}=Failed", "pod/fails", "--timeout=180s")
    described = cluster.kubectl("describe", "pod", "fails")
    assert re.search(r"Node: +node-1/10\.244\.1\.1", described)
    assert re.search(r"State: +Terminated\n +Reason: +Error\n +Exit Code: +7", described)
    assert re.search(
        r"Normal +Scheduled .* default-scheduler +Successfully assigned default/fails to node-1", described
    )
    assert re.search(r'Normal +HostSoftware .* kubelet +Image "python" is not pulled', described)
    assert re.search(r"Normal +SimulatedGPUs .* CUDA_VISIBLE_DEVICES is empty", described)


def test_explain(cluster: Machine) -> None:
    trainer = cluster.kubectl("explain", "trainjob.spec.trainer")
    assert re.search(r"^KIND: +TrainJob\nVERSION: +v1alpha1$", trainer, re.MULTILINE)
    assert re.search(r"^  numNodes\t<integer>$", trainer, re.MULTILINE)
    depends = cluster.kubectl("explain", "jobset.spec.replicatedJobs.dependsOn")
    assert re.search(r"^  status\t<string> -required-\n  enum: Ready, Complete$", depends, re.MULTILINE)
    assert 'field "nonsense" does not exist' in cluster.refused("explain", "trainjob.spec.nonsense")


def test_a_deleted_pod_has_its_grace_period(cluster: Machine) -> None:
    saved = cluster.folder / "saved"
    script = f"trap 'sleep 1; echo checkpoint > {saved}; exit 0' TERM; echo ready; while true; do sleep 0.1; done"
    volumes = [{"name": "out", "hostPath": {"path": str(cluster.folder)}}]
    mount = {"volumeMounts": [{"name": "out", "mountPath": str(cluster.folder)}]}
    cluster.apply(pod("saves", script, container=mount, volumes=volumes, terminationGracePeriodSeconds=60))
    wait_for(lambda: cluster.try_kubectl("logs", "saves").stdout == "ready\n")
    cluster.kubectl("delete", "pod", "saves")
    assert saved.read_text() == "checkpoint\n"

    stubborn = "trap '' TERM; echo ready; while true; do sleep 0.1; done"
    cluster.apply(pod("stubborn", stubborn, terminationGracePeriodSeconds=600))
    wait_for(lambda: cluster.try_kubectl("logs", "stubborn").stdout == "ready\n")
    cluster.kubectl("delete", "pod", "stubborn", "--grace-period=1")
    assert processes(cluster, "trap ''") == []


def test_nothing_escapes_a_forced_deletion(cluster: Machine) -> None:
    """Not even what left its session, is nobody's child and does not listen to signals."""
    stubborn = 'trap "" TERM HUP INT; while true; do sleep 1; done'
    cluster.apply(pod("daemon", f"(setsid sh -c '{stubborn}' &); echo started; {stubborn}"))
    wait_for(lambda: cluster.try_kubectl("logs", "daemon").stdout == "started\n")
    assert len(processes(cluster, "while true")) == 2
    cluster.kubectl("delete", "pod", "daemon", "--force", "--grace-period=0")
    wait_for(lambda: processes(cluster, "while true") == [])


def test_what_a_job_owns_goes_or_stays_with_it(cluster: Machine) -> None:
    for cascade, pods in (("background", 0), ("foreground", 0), ("orphan", 1)):
        cluster.kubectl("create", "job", "owner", "--image=python", "--", "sleep", "600")
        wait_for(lambda: len(cluster.objects("pods")) == 1)
        cluster.kubectl("delete", "job", "owner", f"--cascade={cascade}")
        assert cluster.objects("jobs") == []
        wait_for(lambda pods=pods: len(cluster.objects("pods")) == pods)  # type: ignore[misc]
    [orphan] = cluster.objects("pods")
    assert "ownerReferences" not in orphan["metadata"]


def test_a_namespace_takes_its_running_jobs_along(cluster: Machine) -> None:
    cluster.kubectl("create", "namespace", "doomed")
    running = edited(job_set("long", "exec sleep 601", pods=2), "{name: long}", "{name: long, namespace: doomed}")
    cluster.apply(running)
    cluster.kubectl("create", "configmap", "settings", "-n", "doomed", "--from-literal=a=b")
    wait_for(lambda: len(processes(cluster, "sleep 601")) == 2)
    cluster.kubectl("delete", "namespace", "doomed")
    assert processes(cluster, "sleep 601") == []
    kinds = cluster.kubectl("api-resources", "--verbs=list", "--namespaced", "-o", "name").split()
    assert cluster.kubectl("get", ",".join(kinds), "-n", "doomed", "-o", "name") == ""
    assert "NotFound" in cluster.refused("get", "namespace", "doomed")
