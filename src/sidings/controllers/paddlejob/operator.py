"""Two ways of Paddle: collective (workers only, the first is the rendezvous) and parameter server (a Master leads)."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.training_operator import framework, words
from sidings.controllers.training_operator.operator import Operator, Place, variables
from sidings.controllers.training_operator.snapshot import Snapshot, replica_name

OWN_ADDRESS = "POD_IP_DUMMY"
"""The pod's own address, by which the rendezvous listens; upstream's name for it."""


class PaddleOperator(Operator):
    framework = framework.PADDLE

    def environment(self, snapshot: Snapshot, place: Place) -> list[Object]:
        leader = snapshot.leader or words.WORKER
        values = {
            "PYTHONUNBUFFERED": "1",
            "PADDLE_JOB_ID": snapshot.name,
            "PADDLE_NNODES": str(snapshot.total),
        }
        found = variables(values)
        address = replica_name(snapshot.name, leader, 0)
        if place == Place(leader, 0):
            found.append({"name": OWN_ADDRESS, "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}})
            address = f"$({OWN_ADDRESS})"
        found += variables({"PADDLE_MASTER": f"{address}:{snapshot.port(leader)}"})
        if snapshot.leader is not None:
            mine = "PADDLE_SERVER_NUM" if place.role == words.MASTER else "PADDLE_TRAINER_NUM"
            found += variables({mine: "1"})
        return found
