from __future__ import annotations

from sidings.controllers.jaxjob.operator import JaxOperator
from tests.controllers.training_operator.cluster import replica, started


def test_case_45_every_process_is_told_who_coordinates() -> None:
    cluster = started(JaxOperator(), {"Worker": replica("jax", 2)})
    for number in range(2):
        assert cluster.env(f"worker-{number}") == [
            ("PYTHONUNBUFFERED", "1"),
            ("COORDINATOR_PORT", "6666"),
            ("COORDINATOR_ADDRESS", "x-worker-0"),
            ("NUM_PROCESSES", "2"),
            ("PROCESS_ID", str(number)),
        ]
    roles = ["training.kubeflow.org/job-role" in pod["metadata"]["labels"] for pod in cluster.pods.values()]
    assert roles == [True, False]


def test_all_workers_have_to_succeed() -> None:
    cluster = started(JaxOperator(), {"Worker": replica("jax", 2)}, ["worker-0", "worker-1"])
    assert cluster.message("Running") == "JAXJob ns/x is running."
    cluster.set("worker-0", "Succeeded", code=0)
    cluster.settle()
    assert cluster.conditions[-1] == "Running=True/JAXJobRunning"
    cluster.set("worker-1", "Succeeded", code=0)
    cluster.settle()
    assert cluster.message("Succeeded") == "JAXJob ns/x successfully completed."
