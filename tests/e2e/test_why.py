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


def test_what_the_server_warns_of_is_told_once(cluster: Machine) -> None:
    pod = "spec: {containers: [{name: pytorch, image: i, command: ['true']}]}"
    job = textwrap.dedent(f"""\
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {{name: warned}}
        spec:
          elasticPolicy: {{nProcPerNode: 2}}
          pytorchReplicaSpecs: {{Worker: {{replicas: 1, template: {{{pod}}}}}}}
        """)
    done = cluster.sidings("check", "-f", "-", stdin=f"{job}---\n{job.replace('warned', 'as-well')}")
    told = "warning: spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead"
    assert done.stderr.splitlines().count(told) == 1, done.stderr
    assert "PyTorchJob default/as-well: starts at once" in done.stdout


TOGETHER = """\
apiVersion: v1
kind: Namespace
metadata: {name: comes-along}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: comes-along}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: comes-along}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: comes-along
      resources: [{name: cpu, nominalQuota: 3}, {name: memory, nominalQuota: 8Gi}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: lq, namespace: comes-along}
spec: {clusterQueue: comes-along}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: comes-along}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: mine, namespace: comes-along, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
                containers:
                - {name: node, image: i, volumeMounts: [{name: data, mountPath: /data}]}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: tune, namespace: comes-along, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  runtimeRef: {kind: TrainingRuntime, name: mine}
  trainer:
    numNodes: 2
    command: [train, --checkpoint-dir=/data/run]
    resourcesPerNode: {requests: {cpu: 1}, limits: {memory: 1Gi}}
"""


def test_all_that_a_job_needs_may_come_along(cluster: Machine) -> None:
    fits = cluster.sidings("check", "-f", "-", "-o", "json", stdin=TOGETHER)
    assert fits.returncode == 0, fits.stdout + fits.stderr
    job = json.loads(fits.stdout)[-1]
    assert (job["object"], job["admitted"], job["findings"]) == ("TrainJob comes-along/tune", "now", [])
    assert job["asks"] == ["node: 2 pods x 1 CPU, 1Gi memory", "in total: 2 pods, 2 CPUs, 2Gi memory"]
    larger = cluster.sidings("check", "-f", "-", "-o", "json", stdin=TOGETHER.replace("numNodes: 2", "numNodes: 4"))
    assert larger.returncode == 6
    [found] = json.loads(larger.stdout)[-1]["findings"]
    assert (found["code"], found["what"]) == ("SDG-110", "it asks for 4 pods x 1 CPU = 4 > 3 (node 4)")
    assert cluster.objects("namespaces", "--field-selector=metadata.name=comes-along") == []


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
