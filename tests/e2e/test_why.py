"""`check` before and `why` after a job was submitted, on a running engine; printed commands are run as printed."""

from __future__ import annotations

import json
import subprocess
import textwrap

import pytest

from tests.e2e.machine import MANIFESTS, Machine, wait_for

pytestmark = pytest.mark.e2e
NEVER = "it asks for 3 pods x 2 GPUs = 6 > 4 (master 1, worker 2; Master included)"
NAMESPACE = "assistants"


def findings(cluster: Machine, name: str, namespace: str = "default") -> list[dict[str, str]]:
    [answer] = json.loads(cluster.ok("why", name, "-n", namespace, "-o", "json"))
    found: list[dict[str, str]] = answer["findings"]
    return found


def codes(cluster: Machine, name: str, namespace: str = "default") -> list[str]:
    return [found["code"] for found in findings(cluster, name, namespace)]


def run_as_printed(cluster: Machine, command: str) -> None:
    environ = {**cluster.environ, "KUBECONFIG": f"{cluster.home}/kubeconfig"}
    subprocess.run(command, shell=True, env=environ, check=True, capture_output=True, timeout=60)


def test_the_master_counts_before_and_after_the_submission(cluster: Machine) -> None:
    name, manifest = "tune", str(MANIFESTS / "queued-pytorchjob.yaml")
    cluster.kubectl("apply", "-f", str(MANIFESTS / "quota.yaml"))
    done = cluster.sidings("check", "-f", manifest)
    assert done.returncode == 6, done.stderr
    assert f"PyTorchJob {NAMESPACE}/{name}: never admitted" in done.stdout
    assert f"error SDG-110  {NEVER}" in done.stdout
    assert cluster.objects("pytorchjobs") == []
    cluster.kubectl("apply", "-f", manifest)
    wait_for(lambda: cluster.objects("workloads") != [])
    [found] = findings(cluster, name, NAMESPACE)
    assert (found["code"], found["what"]) == ("SDG-110", NEVER)
    assert found["remedy"].startswith("kubectl patch clusterqueue assistants-cq --type=json ")
    run_as_printed(cluster, found["remedy"])
    wait_for(lambda: not cluster.object("pytorchjob", name, NAMESPACE)["spec"]["runPolicy"]["suspend"])
    # Each node has one GPU: quota is not nodes, and that is the next thing to be told.
    wait_for(lambda: codes(cluster, name, NAMESPACE)[:1] == ["SDG-201"])


def test_files_that_are_valid_and_one_that_is_not(cluster: Machine) -> None:
    job = textwrap.dedent("""\
        apiVersion: batch/v1
        kind: Job
        metadata: {name: fine, namespace: comes-along}
        spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, command: ["true"]}]}}}
        """)
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: comes-along}\n---\n"
    good = cluster.sidings("check", "-f", "-", stdin=namespace + job)
    assert (good.returncode, "Job comes-along/fine: starts at once" in good.stdout) == (0, True), good.stdout
    bad = cluster.sidings("check", "-f", "-", stdin=job.replace("comes-along", "default").replace("Never", "Always"))
    assert bad.returncode == 4
    assert "Job default/fine: refused" in bad.stdout
    assert "error SDG-301" in bad.stdout


def test_logs_and_missing_objects_tell_the_cause(cluster: Machine) -> None:
    cluster.apply(
        textwrap.dedent("""\
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: imports}
        spec:
          runtimeRef: {name: torch-distributed}
          trainer: {numNodes: 1, command: [python, -c, "import no_such_module"]}
        ---
        apiVersion: batch/v1
        kind: Job
        metadata: {name: claims}
        spec:
          template:
            spec:
              restartPolicy: Never
              volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
              containers: [{name: c, image: i, command: ["true"]}]
        """)
    )
    wait_for(lambda: codes(cluster, "imports")[:1] == ["SDG-231"])
    assert "No module named 'no_such_module'" in findings(cluster, "imports")[0]["what"]
    wait_for(lambda: codes(cluster, "claims")[:1] == ["SDG-211"])
    run_as_printed(cluster, findings(cluster, "claims")[0]["remedy"])
    cluster.wait_for_condition("complete", "job/claims")
    assert "nothing is wrong" in cluster.ok("why", "claims")


def test_a_code_is_explained(cluster: Machine) -> None:
    assert "The job asks for more than its queue can ever give" in cluster.ok("explain", "sdg-110")
    assert cluster.sidings("explain", "SDG-999").returncode == 2
