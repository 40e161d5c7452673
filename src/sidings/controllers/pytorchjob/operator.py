"""What makes a PyTorchJob one: its environment, its init container, and success under an elastic policy."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.training_operator import framework, words
from sidings.controllers.pytorchjob import init_container
from sidings.controllers.pytorchjob.environment import environment
from sidings.controllers.training_operator.operator import Operator, Place
from sidings.controllers.training_operator.snapshot import Snapshot, replica_name
from sidings.controllers.training_operator.tally import Tally


class PyTorchOperator(Operator):
    framework = framework.PYTORCH

    def environment(self, snapshot: Snapshot, place: Place) -> list[Object]:
        return environment(snapshot, place)

    def prepare(self, snapshot: Snapshot, place: Place, spec: Object) -> None:
        super().prepare(snapshot, place, spec)
        if place.role == words.WORKER and snapshot.leader is not None:
            waiting = init_container.waiting_for(replica_name(snapshot.name, words.MASTER, 0))
            spec["initContainers"] = [*(spec.get("initContainers") or ()), waiting]

    def workers_are_done(self, snapshot: Snapshot, tally: Tally) -> bool:
        """All of them, or, where their number may change, the first: the others then have nothing left to do."""
        return tally.complete or (snapshot.job["spec"].get("elasticPolicy") is not None and tally.succeeded > 0)
