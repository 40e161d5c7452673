"""``mlPolicy.xgboost`` (cases X1 to X4)."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.controllers.trainjob import plugins
from sidings.controllers.trainjob.info import runtime_info
from tests.trainjobs import runtime, train_job, trainer_job


def env_of(trainer: Object | None, *jobs: Object) -> dict[str, str | None]:
    info = runtime_info(train_job(trainer), runtime(*jobs, policy={"xgboost": {}}))
    plugins.enforce(info)
    node = info.pod_sets[0].container("node") or {}
    return {item["name"]: item.get("value") for item in node.get("env") or ()}


def test_user_env_then_the_tracker() -> None:
    assert env_of({"env": [{"name": "U", "value": "1"}]}) == {
        "U": "1",
        "DMLC_TRACKER_URI": "tj-node-0-0.tj",
        "DMLC_TRACKER_PORT": "29500",
        "DMLC_TASK_ID": None,
        "DMLC_NUM_WORKER": "1",
    }


@pytest.mark.parametrize(
    ("nodes", "own", "of_runtime", "workers"),
    [(1, None, None, "1"), (4, None, None, "4"), (2, 4, None, "8"), (3, None, 2, "6"), (2, 3, 1, "6")],
)
def test_a_worker_per_gpu(nodes: int, own: int | None, of_runtime: int | None, workers: str) -> None:
    trainer: Object = {"numNodes": nodes}
    if own:
        trainer["resourcesPerNode"] = {"limits": {"nvidia.com/gpu": own}}
    resources = {"limits": {"nvidia.com/gpu": of_runtime}} if of_runtime else {}
    assert env_of(trainer, trainer_job(resources=resources))["DMLC_NUM_WORKER"] == workers


def test_job_without_trainer_gets_it_too() -> None:
    assert env_of(None) == env_of({})
    assert env_of(None)["DMLC_NUM_WORKER"] == "1"
