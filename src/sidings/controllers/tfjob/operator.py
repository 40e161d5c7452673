"""What makes a TFJob one: ``TF_CONFIG`` in its own container only, and worker 0, which ends a job without chief.

Any failed pod of any role fails the job, unless it is being made anew, or a worker under ``enableDynamicWorker``.
"""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.training_operator import framework, words
from sidings.controllers.tfjob import cluster_config
from sidings.controllers.training_operator.operator import Operator, Place, variables
from sidings.controllers.training_operator.report import Report
from sidings.controllers.training_operator.restart_policy import exit_code
from sidings.controllers.training_operator.snapshot import Snapshot
from sidings.controllers.training_operator.tally import Tally, phase_of

ALL_WORKERS = "AllWorkers"
"""``successPolicy`` under which the success of worker 0 is not enough."""


class TensorFlowOperator(Operator):
    framework = framework.TENSORFLOW

    def environment(self, snapshot: Snapshot, place: Place) -> list[Object]:
        if snapshot.total == 1:
            return []
        return variables({cluster_config.NAME: cluster_config.text(snapshot, place)})

    def prepare(self, snapshot: Snapshot, place: Place, spec: Object) -> None:
        for container in spec["containers"]:
            if container["name"] == self.framework.container and (added := self.environment(snapshot, place)):
                container["env"] = [*(container.get("env") or ()), *added]

    def workers_are_done(self, snapshot: Snapshot, tally: Tally) -> bool:
        if tally.complete:
            return True
        first = snapshot.pods_of(words.WORKER).get(0)
        return (
            snapshot.job["spec"].get("successPolicy") != ALL_WORKERS
            and first is not None
            and phase_of(first) == "Succeeded"
            and exit_code(first, self.framework.container) == 0
        )

    def title(self, snapshot: Snapshot) -> str:
        return f"{snapshot.framework.resource.kind} {snapshot.namespace}/{snapshot.name}"

    def success_message(self, snapshot: Snapshot) -> str:
        return f"{self.title(snapshot)} successfully completed."

    def failure_message(self, snapshot: Snapshot, lost: str) -> str:
        return f"{self.title(snapshot)} has failed {lost}"

    def has_lost(self, tally: Tally) -> bool:
        return tally.failed > 0

    def judge_losses(self, snapshot: Snapshot, role: str, replica: Object, tally: Tally, report: Report) -> None:
        dynamic = role == words.WORKER and snapshot.job["spec"].get("enableDynamicWorker")
        if not report.holds(words.RESTARTING) and not dynamic:
            super().judge_losses(snapshot, role, replica, tally, report)

    def starts_again(self, replica: Object) -> bool:
        return False
