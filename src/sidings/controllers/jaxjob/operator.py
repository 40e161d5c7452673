"""Worker 0 is the coordinator; all workers have to succeed."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.training_operator import framework, words
from sidings.controllers.training_operator.operator import Operator, Place, variables
from sidings.controllers.training_operator.snapshot import Snapshot, replica_name


class JaxOperator(Operator):
    framework = framework.JAX

    def environment(self, snapshot: Snapshot, place: Place) -> list[Object]:
        return variables(
            {
                "PYTHONUNBUFFERED": "1",
                "COORDINATOR_PORT": str(snapshot.port(words.WORKER)),
                "COORDINATOR_ADDRESS": replica_name(snapshot.name, words.WORKER, 0),
                "NUM_PROCESSES": str(snapshot.total),
                "PROCESS_ID": str(place.number),
            }
        )
