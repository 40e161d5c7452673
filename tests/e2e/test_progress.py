"""Progress of a real pod: what it reports to the API, and what its page tells, seen by kubectl."""

from __future__ import annotations

import json
import textwrap
import time

import pytest

from tests.e2e.machine import Machine

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


def manifest(folder: str) -> str:
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
    return job + textwrap.indent(SCRIPT, "    ")


def test_progress_is_seen_while_it_trains_and_when_it_ends(machine: Machine) -> None:
    shared = machine.folder / "shared"
    shared.mkdir()
    machine.ok("up", "--feature-gates", "TrainJobStatus=true")
    machine.apply(manifest(str(shared)))
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


def annotation(machine: Machine, summary: str) -> dict[str, object]:
    """The progression annotation, once it says ``summary``."""
    for _ in range(600):
        annotations = machine.object("trainjob", "told")["metadata"]["annotations"]
        found: dict[str, object] = json.loads(annotations.get("trainer.opendatahub.io/trainerStatus") or "{}")
        if found.get("estimatedRemainingTimeSummary") == summary:
            return found
        time.sleep(0.2)
    raise AssertionError(f"never {summary}: {annotations}")
