"""The control plane is killed while jobs train: they go on, and the next engine records all that happened meanwhile."""

import os
import re
import signal

import pytest

from tests.e2e.machine import Machine, pod, wait_for
from tests.e2e.training import Training

pytestmark = pytest.mark.e2e


def test_training_outlives_the_control_plane(machine: Machine) -> None:
    machine.ok("up", "--nodes", "2")
    training = Training(machine.folder / "shared")
    machine.apply(training.manifest("training"))
    machine.apply(
        pod(
            "short",
            "echo begun; until [ -e /shared/short-may-end ]; do sleep 0.1; done; echo ended; exit 3",
            container={"volumeMounts": [{"name": "shared", "mountPath": "/shared"}]},
            volumes=[{"name": "shared", "hostPath": {"path": str(training.folder)}}],
        )
    )
    wait_for(lambda: training.step >= 3, 120)
    machine.wait_for_condition("Ready", "pod/short")
    before = {it["metadata"]["name"]: it["metadata"]["uid"] for it in machine.objects("pods")}
    assert len(before) == 3

    os.kill(machine.engine_pid(), signal.SIGKILL)
    killed_at = training.step
    (training.folder / "short-may-end").touch()
    wait_for(lambda: not any("short-may-end" in left for left in machine.leftovers()))
    wait_for(lambda: training.step > killed_at + 3)

    assert "of its pods still run and are adopted" in machine.sidings("up").stderr
    machine.kubectl("wait", "--for=jsonpath={.status.phase}=Failed", "pod/short", "--timeout=180s")
    [short] = machine.object("pod", "short")["status"]["containerStatuses"]
    assert short["state"]["terminated"]["exitCode"] == 3
    assert machine.kubectl("logs", "short") == "begun\nended\n"

    adopted_at = training.step
    wait_for(lambda: training.step > adopted_at)
    training.end()
    machine.wait_for_condition("Complete", "trainjob/training")
    for name, uid in before.items():
        if name == "short":
            continue
        after = machine.object("pod", name)
        assert after["metadata"]["uid"] == uid
        assert after["status"]["containerStatuses"][0]["restartCount"] == 0
        steps = re.findall(r"^step (\d+)$", machine.kubectl("logs", name), re.MULTILINE)
        assert steps == [str(number) for number in range(1, training.step + 1)], "no line of the log is lost"
