"""``mlPolicy.jax`` (case J1)."""

from __future__ import annotations

from sidings.controllers.trainjob import plugins
from sidings.controllers.trainjob.info import runtime_info
from tests.trainjobs import runtime, train_job


def test_variables_and_port() -> None:
    info = runtime_info(train_job({"numNodes": 2}), runtime(policy={"jax": {}}))
    plugins.enforce(info)
    node = info.pod_sets[0].container("node") or {}
    assert [(item["name"], item.get("value")) for item in node["env"]] == [
        ("JAX_NUM_PROCESSES", "2"),
        ("JAX_PROCESS_ID", None),
        ("JAX_COORDINATOR_ADDRESS", "tj-node-0-0.tj:29500"),
    ]
    assert node["ports"] == [{"containerPort": 29500, "protocol": "TCP"}]


def test_job_without_trainer_gets_it_too() -> None:
    info = runtime_info(train_job(), runtime(policy={"jax": {}, "numNodes": 3}))
    plugins.enforce(info)
    node = info.pod_sets[0].container("node") or {}
    assert node["env"][0] == {"name": "JAX_NUM_PROCESSES", "value": "3"}
