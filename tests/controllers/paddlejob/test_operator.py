from __future__ import annotations

from sidings.controllers.paddlejob.operator import PaddleOperator
from tests.controllers.training_operator.cluster import Cluster, replica, started


def after(cluster: Cluster, name: str) -> list[tuple[str, str]]:
    """The variables behind the three that all have."""
    env = cluster.env(name)
    assert env[:3] == [("PYTHONUNBUFFERED", "1"), ("PADDLE_JOB_ID", "x"), ("PADDLE_NNODES", str(len(cluster.pods)))]
    return env[3:]


def test_workers_alone_meet_at_the_first() -> None:
    cluster = started(PaddleOperator(), {"Worker": replica("paddle", 2)})
    assert after(cluster, "worker-0") == [("POD_IP_DUMMY", ""), ("PADDLE_MASTER", "$(POD_IP_DUMMY):36543")]
    assert after(cluster, "worker-1") == [("PADDLE_MASTER", "x-worker-0:36543")]
    own = cluster.pods["worker-0"]["spec"]["containers"][0]["env"][3]
    assert own["valueFrom"] == {"fieldRef": {"fieldPath": "status.podIP"}}


def test_with_a_master_each_pod_is_one_server_or_one_trainer() -> None:
    cluster = started(PaddleOperator(), {"Master": replica("paddle"), "Worker": replica("paddle")})
    assert after(cluster, "master-0")[1:] == [
        ("PADDLE_MASTER", "$(POD_IP_DUMMY):36543"),
        ("PADDLE_SERVER_NUM", "1"),
    ]
    assert after(cluster, "worker-0") == [("PADDLE_MASTER", "x-master-0:36543"), ("PADDLE_TRAINER_NUM", "1")]


def test_all_workers_or_the_master_end_the_job() -> None:
    alone = started(PaddleOperator(), {"Worker": replica("paddle", 2)}, ["worker-0", "worker-1"])
    for name in ("worker-0", "worker-1"):
        alone.set(name, "Succeeded", code=0)
    assert alone.settle().message("Succeeded") == "PaddleJob ns/x successfully completed."
    led = started(PaddleOperator(), {"Master": replica("paddle"), "Worker": replica("paddle")}, ["worker-0"])
    led.set("master-0", "Succeeded", code=0)
    assert led.settle().message("Succeeded") == "PaddleJob x is successfully completed."
