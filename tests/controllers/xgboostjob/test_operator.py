from __future__ import annotations

import pytest

from sidings.controllers.xgboostjob.operator import XGBoostOperator
from tests.controllers.training_operator.cluster import Cluster, replica, started


def job(workers: int, policy: str = "Never") -> Cluster:
    roles = {"Master": replica("xgboost", restartPolicy=policy)}
    if workers:
        roles["Worker"] = replica("xgboost", workers, restartPolicy=policy)
    running = ["master-0", *(f"worker-{number}" for number in range(workers))]
    return started(XGBoostOperator(), roles, running)


def test_master_and_workers_know_each_other() -> None:
    cluster = job(2)
    common = [("MASTER_PORT", "9999"), ("MASTER_ADDR", "x-master-0"), ("WORLD_SIZE", "3")]
    workers = [("WORKER_PORT", "9999"), ("WORKER_ADDRS", "x-worker-0,x-worker-1")]
    for name, rank in (("master-0", "0"), ("worker-0", "1"), ("worker-1", "2")):
        assert cluster.env(name) == [*common, ("RANK", rank), ("PYTHONUNBUFFERED", "1"), *workers]


def test_a_master_alone_hears_of_no_workers() -> None:
    assert [name for name, _ in job(0).env("master-0")] == [
        "MASTER_PORT", "MASTER_ADDR", "WORLD_SIZE", "RANK", "PYTHONUNBUFFERED",
    ]  # fmt: skip


def test_success_of_the_master_is_the_success_of_the_job() -> None:
    cluster = job(2)
    cluster.set("master-0", "Succeeded", code=0)
    cluster.settle()
    assert cluster.message("Succeeded") == "XGBoostJob x is successfully completed."


@pytest.mark.parametrize(
    ("policy", "code", "condition"), [("Never", 1, "Failed"), ("ExitCode", 137, "Running"), ("ExitCode", 1, "Failed")]
)
def test_a_failed_worker_ends_the_job_unless_it_may_be_made_anew(policy: str, code: int, condition: str) -> None:
    cluster = job(2, policy)
    cluster.set("worker-1", "Failed", code=code)
    cluster.settle()
    assert cluster.conditions[-1] == f"{condition}=True/XGBoostJob{condition}"
