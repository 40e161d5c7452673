"""Env, port and command of torch runtimes (cases T1 to T14 of Trainer 2.3)."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.controllers.trainjob import plugins
from sidings.controllers.trainjob.errors import BuildError
from sidings.controllers.trainjob.info import RuntimeInfo, runtime_info
from tests.trainjobs import replicated_job, runtime, train_job, trainer_job

NAMES = ["PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"]


def enforced(
    *jobs: Object, trainer: Object | None, policy: Object | None = None, name: str = "rt", nodes: int | None = None
) -> RuntimeInfo:
    torch = {"torch": policy or {}} | ({} if nodes is None else {"numNodes": nodes})
    info = runtime_info(train_job(trainer, runtime_name=name), runtime(*jobs, policy=torch, name=name))
    plugins.enforce(info)
    return info


def node_of(info: RuntimeInfo) -> Object:
    node = info.pod_sets[0].container("node")
    assert node is not None
    return node


def env_of(container: Object) -> dict[str, Any]:
    return {item["name"]: item.get("value", item.get("valueFrom")) for item in container.get("env") or ()}


def test_what_torchrun_needs() -> None:
    info = enforced(trainer={"numNodes": 2, "env": [{"name": "FOO", "value": "bar"}]})
    node = node_of(info)
    assert list(env_of(node)) == ["FOO", *NAMES]
    assert env_of(node) == {
        "FOO": "bar",
        "PET_NNODES": "2",
        "PET_NPROC_PER_NODE": "1",
        "PET_NODE_RANK": {
            "fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}
        },
        "PET_MASTER_ADDR": "tj-node-0-0.tj",
        "PET_MASTER_PORT": "29500",
    }
    assert node["ports"] == [{"containerPort": 29500, "protocol": "TCP"}]
    assert info.pod_sets[0].count == 2


@pytest.mark.parametrize(("trainer", "count"), [({}, 100), ({"numNodes": 3}, 3), ({"numNodes": 0}, 0)])
def test_nodes_come_from_the_job_or_the_runtime(trainer: Object, count: int) -> None:
    info = enforced(trainer=trainer, nodes=100)
    assert info.pod_sets[0].count == count
    assert env_of(node_of(info))["PET_NNODES"] == str(count)


def test_process_count() -> None:
    info = enforced(trainer={"resourcesPerNode": {"limits": {"nvidia.com/gpu": 4}}})
    assert env_of(node_of(info))["PET_NPROC_PER_NODE"] == "auto"


def test_env_of_the_runtime_keeps_its_place_and_loses_to_torch() -> None:
    env = [{"name": "PET_NNODES", "value": "77"}, {"name": "A", "value": "runtime"}]
    node = node_of(enforced(trainer_job(env=env), trainer={"env": [{"name": "A", "value": "user"}]}))
    assert list(env_of(node))[:2] == ["PET_NNODES", "A"]
    assert env_of(node)["PET_NNODES"] == "1"
    assert env_of(node)["A"] == "user"


def test_job_without_trainer_gets_it_too() -> None:
    """Upstream gives nothing, and each node trains alone (kubeflow/trainer#4076)."""
    assert node_of(enforced(trainer=None, nodes=2)) == node_of(enforced(trainer={}, nodes=2))


def test_other_containers_and_jobs_are_left_alone() -> None:
    side = {"containers": [{"name": "side"}, {"name": "node"}]}
    info = enforced(trainer_job("worker", pod_spec=side), replicated_job("node"), trainer={"numNodes": 2})
    worker, plain = info.pod_sets
    assert [list(env_of(item)) for item in (worker.container("side") or {}, worker.container("node") or {})] == [
        [],
        NAMES,
    ]
    assert env_of(plain.container("node") or {}) == {}
    assert (worker.count, plain.count) == (2, 1)


def test_runtime_without_a_training_job() -> None:
    info = enforced(replicated_job("node"), trainer={"numNodes": 2})
    assert env_of(node_of(info)) == {}
    assert info.pod_sets[0].count == 1


def test_injection_into_containers_and_init_containers() -> None:
    node = trainer_job(pod_spec={"initContainers": [{"name": "preflight"}]})
    targets = [{"jobName": "node", "containerNames": ["preflight"]}, {"jobName": "side", "containerNames": ["helper"]}]
    info = enforced(
        node,
        replicated_job("side", container="helper"),
        trainer={"command": ["tune", "run"]},
        policy={"envInjection": {"targets": targets}},
        name="torchtune-llama3.2-1b",
    )
    preflight, helper = info.pod_sets[0].any_container("preflight"), info.pod_sets[1].container("helper")
    assert preflight and list(env_of(preflight)) == NAMES
    assert helper and list(env_of(helper)) == NAMES
    assert "ports" not in helper


def test_injection_without_its_container() -> None:
    targets = [{"jobName": "node", "containerNames": ["x"]}]
    with pytest.raises(BuildError) as raised:
        enforced(trainer={}, policy={"envInjection": {"targets": targets}})
    assert raised.value.what == 'envInjection target podSet "node" container "x" not found in runtime template'


def test_torchtune_gets_the_rendezvous_as_an_argument() -> None:
    node = trainer_job(command=["tune", "run", "output_dir=/o"])
    info = enforced(node, trainer={"command": ["tune", "run"], "numProcPerNode": 2}, name="torchtune-llama3.2-1b")
    assert list(env_of(node_of(info))) == NAMES[:3]
    assert info.trainer and info.trainer["command"] == [
        "tune", "run", "--rdzv_endpoint=tj-node-0-0.tj:29500", "full_finetune_distributed", "--config",
        "llama3_2/1B_full", "output_dir=/o",
    ]  # fmt: skip
