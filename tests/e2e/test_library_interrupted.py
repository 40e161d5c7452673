"""Training on the library that is suspended, or preempted by a queue: one checkpoint, nothing lost, no failure."""

from __future__ import annotations

import pytest

from tests.e2e.machine import Machine, edited, manifest, wait_for
from tests.e2e.training import LibraryTraining

pytestmark = pytest.mark.e2e

RANK_0 = "jobset.sigs.k8s.io/jobset-name=trained,batch.kubernetes.io/job-completion-index=0"
URGENT = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: urgent
  labels: {kueue.x-k8s.io/queue-name: team, kueue.x-k8s.io/priority-class: urgent}
spec:
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: python
        command: [/bin/sh, -c, "until [ -e /shared/urgent-is-done ]; do sleep 0.1; done"]
        resources: {requests: {cpu: 1}}
        volumeMounts: [{name: shared, mountPath: /shared}]
      volumes: [{name: shared, hostPath: {path: FOLDER}}]
"""


def reported(machine: Machine) -> int:
    """The step in ``status.trainerStatus``; 0 before the first report."""
    status = machine.object("trainjob", "trained").get("status") or {}
    metrics = (status.get("trainerStatus") or {}).get("metrics") or ()
    return int({metric["name"]: metric["value"] for metric in metrics}.get("step", 0))


def goes_on(machine: Machine, training: LibraryTraining, step: int) -> None:
    """Its pods come back, and go on at the step after ``step``; then it trains to its end."""
    wait_for(lambda: training.step > step + 1, 180)
    log = machine.kubectl("logs", "-l", RANK_0, "--tail=-1")
    assert f"at step {step} (epoch 0, position {step * 16}, written by 2 ranks)" in log
    assert f"resumed from /shared/checkpoints/step-{step:08d}/" in log
    wait_for(lambda: reported(machine) > step)
    training.end()
    machine.wait_for_condition("Complete", "trainjob/trained")
    assert reported(machine) == training.step == training.saved[-1]
    assert machine.object("jobset", "trained")["status"].get("restarts", 0) == 0, "to be interrupted is no failure"


@pytest.mark.parametrize("tier", ["best", "host"])
def test_suspended_and_resumed(machine: Machine, tier: str) -> None:
    training = LibraryTraining(machine.folder / "shared")
    chosen = [] if tier == "best" else ["--tier", tier]
    machine.ok("up", "--nodes", "2", "--cpu", "8", "--feature-gates", "TrainJobStatus=true", *chosen)
    machine.apply(training.manifest("trained"))
    wait_for(lambda: reported(machine) >= 5, 180)

    machine.ok("suspend", "trained")
    machine.wait_for_condition("Suspended", "trainjob/trained")
    wait_for(lambda: machine.objects("pods") == [])
    step = training.step
    assert training.saved == [step], "one checkpoint, at the step at which all ranks stood"
    assert reported(machine) == step

    machine.ok("resume", "trained")
    goes_on(machine, training, step)


def test_preempted_by_what_is_more_urgent(machine: Machine) -> None:
    training = LibraryTraining(machine.folder / "shared")
    machine.ok("up", "--nodes", "2", "--cpu", "8", "--feature-gates", "TrainJobStatus=true")
    machine.apply(manifest("queued-kinds"))
    queued = "metadata: {name: trained, labels: {kueue.x-k8s.io/queue-name: team}}\nspec:"
    text = edited(training.manifest("trained"), "metadata: {name: trained}\nspec:", queued)
    machine.apply(edited(text, "numProcPerNode: 1}", "numProcPerNode: 1, resourcesPerNode: {requests: {cpu: 1}}}"))
    wait_for(lambda: reported(machine) >= 5, 180)

    machine.apply(URGENT.replace("FOLDER", str(training.folder)))
    machine.kubectl("wait", "--for=jsonpath={.status.active}=1", "job/urgent", "--timeout=180s")
    wait_for(lambda: len(machine.objects("pods")) == 1)
    step = training.step
    assert training.saved == [step]
    assert reported(machine) == step
    assert machine.object("trainjob", "trained")["spec"]["suspend"] is True

    (training.folder / "urgent-is-done").touch()
    goes_on(machine, training, step)
