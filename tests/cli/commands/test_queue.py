import json
from pathlib import Path

from sidings.cli import main
from sidings.cli.errors import ExitCode
from tests.cli.consoles import err, invocation, out
from tests.queue.objects import cluster_queue, flavor, workload


def cases(status: str) -> str:
    local = {"kind": "LocalQueue", "metadata": {"name": "q", "namespace": "default"}, "spec": {"clusterQueue": "q"}}
    objects = [flavor(), cluster_queue("q"), local, workload("w", "5")]
    message = (
        "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor default, previously considered"
        " podsets requests (0) + current podset request (5) > maximum capacity (4)"
    )
    state = {"status": status, "reason": "ExceedsMaxQuota", "message": message, "queue": "inadmissible"}
    expect = {
        "workloads": {"w": state},
        "trace": [{}],
        "events": [f"w Warning ExceedsMaxQuota: {message}"],
    }
    case = {"name": "too large", "now": "2026-01-01T00:00:00Z", "objects": objects, "cycles": 1, "expect": expect}
    return json.dumps([case])


def run(folder: Path, text: str) -> tuple[int, str, str]:
    (folder / "cases.json").write_text(text)
    it = invocation(folder)
    args = main.build_parser("queue").parse_args(["queue", "replay", "cases.json"])
    return main.run_guarded(args, it), out(it.console), err(it.console)


def test_agreement_is_0(tmp_path: Path) -> None:
    assert run(tmp_path, cases("pending")) == (ExitCode.OK, "1 of 1 cases agree\n", "")


def test_every_difference_is_a_line(tmp_path: Path) -> None:
    code, told, _ = run(tmp_path, cases("admitted"))
    assert code == ExitCode.FAILED
    assert told.splitlines() == [
        'too large: workloads.w.status: expected "admitted", got "pending"',
        "0 of 1 cases agree",
    ]


def test_a_file_without_cases_is_invalid(tmp_path: Path) -> None:
    code, told, complaint = run(tmp_path, "{}")
    assert (code, told) == (ExitCode.INVALID, "")
    assert complaint.startswith("error[MANIFEST_INVALID]:")


STREAM = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq, namespace: a}
spec: {clusterQueue: cq}
---
apiVersion: sidings.dev/v1alpha1
kind: JobStream
metadata: {name: day}
jobs:
- {name: tune, queue: a/lq, pods: 2, requests: {cpu: 2}, runtime: 10m, count: 2}
"""


def simulate(folder: Path, text: str, *flags: str) -> tuple[int, str, str]:
    (folder / "stream.yaml").write_text(text)
    it = invocation(folder)
    args = main.build_parser("queue").parse_args(["queue", "simulate", "stream.yaml", *flags])
    return main.run_guarded(args, it), out(it.console), err(it.console)


def test_a_stream_is_played_on_virtual_time(tmp_path: Path) -> None:
    code, told, said = simulate(tmp_path, STREAM, "--picture", "p.svg")
    assert code == ExitCode.OK
    assert told.splitlines() == [
        "CLUSTERQUEUE   JOBS   ADMITTED   EVICTIONS   MEAN WAIT   LONGEST WAIT   USE",
        "cq             2      2          0           5m          10m            cpu 100%",
    ]
    assert "over after 20m" in said
    assert (tmp_path / "p.svg").read_text().startswith("<svg")


def test_jobs_that_are_never_admitted_are_6(tmp_path: Path) -> None:
    code, _, said = simulate(tmp_path, STREAM.replace("pods: 2", "pods: 3"))
    assert code == ExitCode.NOT_ADMITTED
    assert "2 of tune were never admitted" in said


def test_a_stream_that_makes_no_sense_is_invalid(tmp_path: Path) -> None:
    code, _, said = simulate(tmp_path, STREAM.replace("queue: a/lq", "queue: a/other"))
    assert code == ExitCode.INVALID
    assert "there is no LocalQueue a/other; there are a/lq" in said


CONFIGURED = """
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: kueue-system}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    admissionFairSharing: {usageHalfLifeTime: 1h, usageSamplingInterval: 1m}
"""


def test_past_use_decides_where_the_configuration_says_so(tmp_path: Path) -> None:
    other = """
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq, namespace: b}
spec: {clusterQueue: cq}
---
apiVersion: sidings.dev/v1alpha1
kind: JobStream
metadata: {name: late}
jobs:
- {name: late, queue: b/lq, pods: 2, requests: {cpu: 2}, runtime: 10m, arrives: 1s}
"""
    text = STREAM.replace("namespaceSelector: {}", "namespaceSelector: {}\n  admissionScope: {admissionMode: USAGE}")
    text = text.replace("USAGE", "UsageBasedAdmissionFairSharing").replace("count: 2", "count: 3") + other
    pictures = []
    for more in ("", CONFIGURED):
        code, _, said = simulate(tmp_path, text + more, "--picture", "p.svg")
        assert code == ExitCode.OK, said
        pictures.append((tmp_path / "p.svg").read_text())
    assert pictures[0].index("a/tune-3") < pictures[0].index("b/late-1")
    assert pictures[1].index("a/tune-2") > pictures[1].index("b/late-1")


def test_a_configuration_that_makes_no_sense_is_invalid(tmp_path: Path) -> None:
    code, _, said = simulate(tmp_path, STREAM + CONFIGURED.replace("1h", "soon"))
    assert code == ExitCode.INVALID
    assert "ConfigMap kueue-manager-config: " in said
