"""The engine as a user meets it: up, second up, kubectl, run, kill, up again, down."""

import os
import re
import signal
import time

import pytest

from tests.e2e.machine import UNTIL_TOLD, Machine, job_set, pod, tell, wait_for

pytestmark = pytest.mark.e2e


def test_up_is_ready_for_kubectl(machine: Machine) -> None:
    out = machine.ok("up", "--nodes", "2", "--cpu", "8", "--memory", "64Gi", "--gpus-per-node", "1", "--simulate-gpus")
    assert out == f"export KUBECONFIG={machine.home}/kubeconfig\n"
    assert (machine.home / "kubeconfig").stat().st_mode & 0o777 == 0o600
    assert machine.home.stat().st_mode & 0o777 == 0o700
    nodes = machine.objects("nodes")
    assert [node["metadata"]["name"] for node in nodes] == ["node-1", "node-2"]
    assert [node["status"]["allocatable"]["nvidia.com/gpu"] for node in nodes] == ["1", "1"]
    assert "torch-distributed" in machine.kubectl("get", "clustertrainingruntimes")


def test_a_second_up_says_that_the_engine_runs(machine: Machine) -> None:
    machine.ok("up")
    pid = machine.engine_pid()
    again = machine.sidings("up", "--nodes", "3")
    assert again.returncode == 0
    assert "already runs" in again.stderr
    assert "it keeps the options" in again.stderr
    assert again.stdout.startswith("export KUBECONFIG=")
    assert machine.engine_pid() == pid


def test_run_returns_the_verdict_and_down_leaves_nothing(machine: Machine) -> None:
    machine.ok("up")
    good = machine.sidings("run", "-f", "-", stdin=job_set("good", "echo hello from rank $JOB_COMPLETION_INDEX"))
    assert (good.returncode, good.stdout) == (0, "hello from rank 0\n"), good.stderr
    assert 'JobSet "good" Succeeded' in good.stderr

    bad = machine.sidings("run", "-f", "-", stdin=job_set("bad", "echo about to fail; exit 3", pods=2))
    assert bad.returncode == 1
    assert "exited with 3" in bad.stderr
    assert "| about to fail" in bad.stderr
    assert re.search(r"JobSet +bad +Failed", machine.ok("get"))

    again = machine.sidings("run", "-f", "-", stdin=job_set("good", "echo hello from rank $JOB_COMPLETION_INDEX"))
    assert (again.returncode, "JOB_ALREADY_FINISHED" in again.stderr) == (4, True)

    machine.ok("down")
    assert machine.leftovers() == []
    assert machine.sidings("status").returncode == 5


def test_down_by_force_is_over_soon_and_without_it_hooks_run(machine: Machine) -> None:
    machine.ok("up")
    hook = {"lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", "echo gone > /kept/hook"]}}}}
    mounts = {"volumeMounts": [{"name": "kept", "mountPath": "/kept"}]}
    kept = [{"name": "kept", "hostPath": {"path": str(machine.folder / "kept"), "type": "DirectoryOrCreate"}}]
    machine.apply(pod("polite", "sleep 600", container=hook | mounts, volumes=kept, terminationGracePeriodSeconds=9))
    machine.wait_for_condition("Ready", "pod/polite")
    machine.ok("down")
    assert (machine.folder / "kept" / "hook").read_text() == "gone\n"

    machine.ok("up")
    machine.apply(pod("deaf", "trap '' TERM; while :; do sleep 1; done", terminationGracePeriodSeconds=600))
    machine.wait_for_condition("Ready", "pod/deaf")
    began = time.monotonic()
    machine.ok("down", "--force")
    assert time.monotonic() - began < 120, "it did not wait for the pod"
    assert machine.leftovers() == []


def test_down_refuses_while_a_job_runs_and_suspends_on_request(machine: Machine) -> None:
    machine.ok("up")
    machine.ok("run", "--detach", "-f", "-", stdin=job_set("long", "sleep 600"))
    wait_for(lambda: " Running " in machine.ok("get"))
    refused = machine.sidings("down")
    assert refused.returncode == 4
    assert 'JobSet "long" Running' in refused.stderr
    machine.ok("down", "--suspend")
    assert machine.leftovers() == []
    machine.ok("up")
    wait_for(lambda: " Running " in machine.ok("get"))


def test_a_killed_engine_leaves_its_pods_and_the_next_one_adopts_them(machine: Machine) -> None:
    machine.ok("up")
    machine.ok("run", "--detach", "-f", "-", stdin=job_set("survivor", f"{UNTIL_TOLD}; echo survived"))
    wait_for(lambda: " Running " in machine.ok("get"))
    [before] = machine.objects("pods")
    os.kill(machine.engine_pid(), signal.SIGKILL)
    assert machine.sidings("get").returncode == 5
    assert "1 of its pods still run and are adopted" in machine.sidings("up").stderr
    tell(machine, before["metadata"]["name"])
    wait_for(lambda: " Succeeded " in machine.ok("get"))
    [after] = machine.objects("pods")
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["status"]["containerStatuses"][0]["restartCount"] == 0
    assert machine.ok("logs", "survivor") == "survived\n"


def test_down_after_a_kill_leaves_nothing(machine: Machine) -> None:
    machine.ok("up")
    machine.ok("run", "--detach", "-f", "-", stdin=job_set("orphan", "sleep 600"))
    wait_for(lambda: " Running " in machine.ok("get"))
    os.kill(machine.engine_pid(), signal.SIGKILL)
    assert any("sleep 600" in left for left in machine.leftovers())
    refused = machine.sidings("down")
    assert (refused.returncode, "JOBS_RUNNING" in refused.stderr) == (4, True), refused.stderr
    machine.ok("down", "--force")
    assert machine.leftovers() == []


def test_suspend_and_resume(machine: Machine) -> None:
    machine.ok("up")
    machine.ok("run", "--detach", "-f", "-", stdin=job_set("pausing", "sleep 600"))
    wait_for(lambda: " Running " in machine.ok("get"))
    machine.ok("suspend", "pausing")
    wait_for(lambda: " Suspended " in machine.ok("get") and not machine.objects("pods"))
    machine.ok("resume", "pausing")
    wait_for(lambda: " Running " in machine.ok("get"))
    machine.ok("delete", "pausing")
    assert machine.objects("pods") == []
    assert machine.objects("jobsets.jobset.x-k8s.io") == []


def test_bad_input_is_told_with_file_and_line(machine: Machine) -> None:
    machine.ok("up")
    file = machine.folder / "job.yaml"
    file.write_text("apiVersion: v1\nkind: Pod\nmetadata:\n  name: [x\n")
    broken = machine.sidings("run", "-f", "job.yaml")
    assert (broken.returncode, "job.yaml:5:" in broken.stderr) == (4, True), broken.stderr
    file.write_text(job_set("x", "true").replace("replicatedJobs:", "replicatedJobz:"))
    unknown = machine.sidings("run", "-f", "job.yaml")
    assert unknown.returncode == 4, unknown.stderr
    assert "job.yaml:5  spec.replicatedJobz" in unknown.stderr
    assert machine.sidings("get", "nothing").returncode == 3
