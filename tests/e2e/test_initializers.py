"""Dataset and model initializers in real pods: what they fetch is what the nodes train on."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.e2e.machine import Machine

pytestmark = pytest.mark.e2e

RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: tuning}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      volumeClaimPolicies:
      - templates:
        - metadata: {name: initializer}
          spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
      replicatedJobs:
      - name: dataset-initializer
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer}}
          spec:
            backoffLimit: 0
            template:
              spec:
                containers:
                - name: dataset-initializer
                  image: ghcr.io/kubeflow/trainer/dataset-initializer
                  volumeMounts: [{name: initializer, mountPath: /workspace}]
      - name: model-initializer
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: model-initializer}}
          spec:
            template:
              spec:
                containers:
                - name: model-initializer
                  image: ghcr.io/kubeflow/trainer/model-initializer
                  volumeMounts: [{name: initializer, mountPath: /workspace}]
      - name: node
        dependsOn: [{name: dataset-initializer, status: Complete}, {name: model-initializer, status: Complete}]
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: pytorch
                  command: [bash, -c, "cat /workspace/dataset/rows.csv /workspace/model/config.json"]
                  volumeMounts: [{name: initializer, mountPath: /workspace}]
"""


def job(name: str, dataset: str, model: str) -> str:
    return textwrap.dedent(f"""\
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {{name: {name}}}
        spec:
          runtimeRef: {{kind: TrainingRuntime, name: tuning}}
          initializer: {{dataset: {{storageUri: "{dataset}"}}, model: {{storageUri: "{model}"}}}}
        """)


def test_files_of_this_machine_reach_the_nodes(cluster: Machine, tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "rows.csv").write_text("a,b\n")
    (tmp_path / "config.json").write_text("{}\n")
    cluster.apply(RUNTIME)
    cluster.apply(job("tune", f"file://{tmp_path}/rows", f"file://{tmp_path}/config.json"))
    cluster.wait_for_condition("Complete", "trainjob/tune")
    assert cluster.kubectl("logs", "job/tune-node-0") == "a,b\n{}\n"
    assert "dataset is complete: 1 file in /workspace/dataset" in cluster.kubectl(
        "logs", "job/tune-dataset-initializer-0"
    )


def test_a_source_that_is_not_there_ends_the_job_with_its_reason(cluster: Machine, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}\n")
    cluster.apply(RUNTIME)
    cluster.apply(job("wrong", f"file://{tmp_path}/none", f"file://{tmp_path}/config.json"))
    cluster.wait_for_condition("Failed", "trainjob/wrong")
    told = cluster.event("JobSet", "wrong", "FirstFailure")
    assert "wrong-dataset-initializer-0-0" in told
    assert f"this machine has no {tmp_path}/none" in told
