"""A TrainJob that goes wrong says so where people look: columns, `describe`, `sidings get`."""

from __future__ import annotations

import textwrap

import pytest

from tests.e2e.machine import Machine, wait_for

pytestmark = pytest.mark.e2e


def job(name: str, command: str) -> str:
    return textwrap.dedent(f"""\
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {{name: {name}}}
        spec:
          runtimeRef: {{name: torch-distributed}}
          trainer: {{numNodes: 2, command: [bash, -c, '{command}']}}
        """)


def state(cluster: Machine, name: str) -> str:
    """What `kubectl get` shows."""
    line = cluster.kubectl("get", "trainjob", name, "--no-headers").split()
    return line[1] if len(line) > 2 else ""


def test_a_script_that_imports_what_is_missing(cluster: Machine) -> None:
    cluster.apply(job("missing", 'test "$PET_NODE_RANK" = 0 && sleep 600; python -c "import no_such_module"'))
    wait_for(lambda: state(cluster, "missing").startswith("Restarting("))
    told = cluster.kubectl("describe", "trainjob", "missing")
    assert "node-0-1 exited with 1 (Error)" in told
    assert "ModuleNotFoundError: No module named 'no_such_module'" in told
    assert "Restarting(" in cluster.ok("get", "missing")


def test_a_job_that_runs_says_so_without_a_condition(cluster: Machine) -> None:
    cluster.apply(job("runs", "sleep 600"))
    wait_for(lambda: state(cluster, "runs") == "Running")
    assert "conditions" not in cluster.object("trainjob", "runs")["status"]
    cluster.kubectl("patch", "trainjob", "runs", "--type=merge", "-p", '{"spec": {"suspend": true}}')
    wait_for(lambda: state(cluster, "runs") == "Suspended")
    cluster.kubectl("patch", "trainjob", "runs", "--type=merge", "-p", '{"spec": {"suspend": false}}')
    wait_for(lambda: state(cluster, "runs") == "Running")


def test_a_name_too_long_for_pods_makes_nothing(cluster: Machine) -> None:
    refused = cluster.refused("apply", "-f", "-", stdin=job("n" * 49, "true"))
    assert "its pods would be called" in refused
    assert "use at most 48" in refused
    assert cluster.objects("trainjobs") == []
