"""The Master runs the tracker (Rabit or the collective's), workers are told where it is and how many they are.

Any pod that failed ends the job, or, under ``ExitCode``, sets it back: unlike torch, XGBoost does not ask whether
enough others are left.
"""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.training_operator import framework, words
from sidings.controllers.training_operator.operator import Operator, Place, variables
from sidings.controllers.training_operator.snapshot import Snapshot, replica_name
from sidings.controllers.training_operator.tally import Tally


class XGBoostOperator(Operator):
    framework = framework.XGBOOST

    def environment(self, snapshot: Snapshot, place: Place) -> list[Object]:
        masters = snapshot.replicas(words.MASTER)
        values = {
            "MASTER_PORT": str(snapshot.port(words.MASTER)),
            "MASTER_ADDR": replica_name(snapshot.name, words.MASTER, 0),
            "WORLD_SIZE": str(snapshot.total),
            "RANK": str(place.number + (masters if place.role == words.WORKER else 0)),
            "PYTHONUNBUFFERED": "1",
        }
        if workers := snapshot.replicas(words.WORKER):
            names = [replica_name(snapshot.name, words.WORKER, number) for number in range(workers)]
            values |= {"WORKER_PORT": str(snapshot.port(words.WORKER)), "WORKER_ADDRS": ",".join(names)}
        return variables(values)

    def has_lost(self, tally: Tally) -> bool:
        return tally.failed > 0

    def starts_again(self, replica: Object) -> bool:
        return bool(replica["restartPolicy"] == words.EXIT_CODE)
