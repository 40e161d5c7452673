"""Progress of a real pod: what it reports to the API, and what its page tells, seen by kubectl."""

from __future__ import annotations

import json
import textwrap
import time

import pytest

from tests.e2e.machine import Machine, wait_for

pytestmark = pytest.mark.e2e

SCRIPT = """\
import http.server, json, os, pathlib, ssl, threading, time, urllib.request

page = {"progressPercentage": 30, "estimatedRemainingSeconds": 90, "currentStep": 3}
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(page).encode())
threading.Thread(target=http.server.HTTPServer(("", 28080), Page).serve_forever, daemon=True).start()

url, ca, token = (os.environ["KUBEFLOW_TRAINER_SERVER_" + name] for name in ("URL", "CA_CERT", "TOKEN"))
body = {"trainerStatus": {"progressPercentage": 30, "metrics": [{"name": "loss", "value": "0.5"}],
                          "lastUpdatedTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}}
request = urllib.request.Request(url, json.dumps(body).encode(), method="POST",
                                 headers={"Authorization": "Bearer " + pathlib.Path(token).read_text()})
print(urllib.request.urlopen(request, context=ssl.create_default_context(cafile=ca)).status, flush=True)
while not pathlib.Path("/shared/enough").exists():
    time.sleep(0.1)
pathlib.Path("/dev/termination-log").write_text(json.dumps({"progressPercentage": 100}))
"""

ON_THE_LIBRARY = """\
import pathlib, time
import torch, sidings_train

with sidings_train.start() as world:
    state = sidings_train.TrainState(torch.nn.Linear(1, 1))
    with sidings_train.Progress(world, state, total=10, every=0.0, page=28080) as progress:
        for step in range(10):
            while step == 3 and not pathlib.Path("/shared/enough").exists():
                time.sleep(0.1)
            loss = torch.tensor(0.5)
            state.advance(8, loss)
            progress.step(8, loss)
"""


def manifest(folder: str, script: str) -> str:
    job = textwrap.dedent(f"""\
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata:
          name: told
          annotations:
            trainer.opendatahub.io/progression-tracking: "true"
            trainer.opendatahub.io/metrics-poll-interval: 5s
        spec:
          runtimeRef: {{name: torch-distributed}}
          trainer: {{command: [python, /scripts/train.py]}}
          runtimePatches:
          - manager: example.com/test
            trainingRuntimeSpec:
              template:
                spec:
                  replicatedJobs:
                  - name: node
                    template:
                      spec:
                        template:
                          spec:
                            volumes:
                            - {{name: scripts, configMap: {{name: told}}}}
                            - {{name: shared, hostPath: {{path: {folder}}}}}
                            containers:
                            - name: node
                              volumeMounts:
                              - {{name: scripts, mountPath: /scripts}}
                              - {{name: shared, mountPath: /shared}}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {{name: told}}
        data:
          train.py: |
        """)
    return job + textwrap.indent(script, "    ")


def test_progress_is_seen_while_it_trains_and_when_it_ends(machine: Machine) -> None:
    shared = machine.folder / "shared"
    shared.mkdir()
    machine.ok("up", "--feature-gates", "TrainJobStatus=true")
    machine.apply(manifest(str(shared), SCRIPT))
    machine.kubectl(
        "wait", "trainjob/told", "--for=jsonpath={.status.trainerStatus.progressPercentage}=30", "--timeout=180s"
    )
    assert machine.object("trainjob", "told")["status"]["trainerStatus"]["metrics"] == [
        {"name": "loss", "value": "0.5"}
    ]
    assert annotation(machine, "1 minute")["currentStep"] == 3
    (shared / "enough").touch()
    machine.wait_for_condition("Complete", "trainjob/told")
    assert annotation(machine, "complete")["progressPercentage"] == 100


def test_the_library_reports_both_ways(machine: Machine) -> None:
    shared = machine.folder / "shared"
    shared.mkdir()
    machine.ok("up", "--feature-gates", "TrainJobStatus=true")
    machine.apply(manifest(str(shared), ON_THE_LIBRARY))
    machine.kubectl(
        "wait", "trainjob/told", "--for=jsonpath={.status.trainerStatus.progressPercentage}=30", "--timeout=180s"
    )
    metrics = machine.object("trainjob", "told")["status"]["trainerStatus"]["metrics"]
    assert {"name": "loss", "value": "0.5"} in metrics
    assert annotation(machine, "less than a minute")["currentStep"] == 3
    wait_for(lambda: machine.ok("top").startswith("JOB"))
    header, told = (line.split() for line in machine.ok("top").splitlines()[:2])
    assert header == "JOB STEP DONE LOSS RATE ETA DATA COMPUTE COMM TOLD".split()
    assert told[:4] == ["told", "3/10", "30%", "0.5"]
    (shared / "enough").touch()
    machine.wait_for_condition("Complete", "trainjob/told")
    assert annotation(machine, "complete")["progressPercentage"] == 100
    assert machine.object("trainjob", "told")["status"]["trainerStatus"]["progressPercentage"] == 100
    assert "step 10/10 100% loss 0.5" in machine.ok("logs", "told")


def annotation(machine: Machine, summary: str) -> dict[str, object]:
    """The progression annotation, once it says ``summary``."""
    for _ in range(600):
        annotations = machine.object("trainjob", "told")["metadata"]["annotations"]
        found: dict[str, object] = json.loads(annotations.get("trainer.opendatahub.io/trainerStatus") or "{}")
        if found.get("estimatedRemainingTimeSummary") == summary:
            return found
        time.sleep(0.2)
    raise AssertionError(f"never {summary}: {annotations}")
