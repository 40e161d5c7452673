"""``mlPolicy.flux`` (case F1 and the shape of the pods)."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.controllers.trainjob import job_set
from sidings.controllers.trainjob.errors import BuildError
from sidings.controllers.trainjob.job_set import Built
from sidings.controllers.trainjob.plugins import flux
from tests.trainjobs import runtime, train_job, trainer_job


def built(trainer: Object | None, **policy: Any) -> Built:
    return job_set.build(train_job(trainer), runtime(trainer_job(command=["lmp"]), policy={"flux": policy}))


def pod_spec(found: Built) -> Object:
    spec: Object = found.job_set["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return spec


@pytest.mark.parametrize(("count", "first", "text"), [(1, 0, "0"), (4, 0, "0-3"), (3, 10, "10-12")])
def test_host_range(count: int, first: int, text: str) -> None:
    assert flux.host_range(count, first) == text


def test_command_runs_in_the_instance() -> None:
    trainer = {"numNodes": 4, "command": ["lmp", "-in", "a b"], "args": ["-v"], "numProcPerNode": 2}
    found = built(trainer)
    node = pod_spec(found)["containers"][0]
    assert node["command"] == ["/bin/bash", "/etc/flux-config/entrypoint.sh", "lmp -in 'a b' -v"]
    assert "args" not in node
    scripts = found.companions[0].make()["data"]
    assert "flux submit --wait --watch -N 4 -n 8 bash" in scripts["entrypoint.sh"]
    assert 'hosts = [{ host = "tj-node-0-[0-3]" }]' in scripts["init.sh"]


def test_gpus_are_asked_for() -> None:
    found = built({"numNodes": 2, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 4}}}, numProcPerNode=3)
    assert "-N 2 -n 6 -g 4 bash" in found.companions[0].make()["data"]["entrypoint.sh"]


@pytest.mark.parametrize("trainer", [None, {}])
def test_nothing_said_is_one_node_with_the_command_of_the_runtime(trainer: Object | None) -> None:
    """Upstream dies of it (kubeflow/trainer#3667)."""
    assert pod_spec(built(trainer))["containers"][0]["command"][-1] == "lmp"


def test_installer_and_volumes() -> None:
    spec = pod_spec(built({"env": [{"name": "FLUX_VIEW_IMAGE", "value": "mine:1"}]}))
    assert [(item["name"], item["image"]) for item in spec["initContainers"]] == [("flux-installer", "mine:1")]
    assert [item["name"] for item in spec["volumes"]] == [
        "spack-install", "flux-install", "tj-flux-entrypoint", "shared-memory", "flux-curve"
    ]  # fmt: skip
    mounts = {item["mountPath"]: item.get("readOnly", False) for item in spec["containers"][0]["volumeMounts"]}
    assert mounts == {
        "/mnt/flux": False, "/opt/software": False, "/etc/flux-config": True, "/curve": True, "/dev/shm": True
    }  # fmt: skip


def test_a_runtime_without_nodes_is_named() -> None:
    with pytest.raises(BuildError, match='no replicatedJob "node"'):
        job_set.build(train_job({}), runtime(trainer_job("other"), policy={"flux": {}}))
