"""``mlPolicy.xgboost``: the variables of the Rabit tracker (Trainer 2.3); one worker per GPU, or one per CPU node."""

from __future__ import annotations

from sidings.api.trainer import resources, words
from sidings.controllers.trainjob.info import RuntimeInfo
from sidings.controllers.trainjob.plugins import rendezvous


def enforce(info: RuntimeInfo) -> None:
    """Runs after ``plain``, which has set the number of nodes."""
    pod_set = next(info.training(), None)
    if pod_set is None:
        return
    gpus = resources.gpus_of(resources.resources_per_node(info.job, info.runtime))
    rendezvous.add(
        pod_set,
        [
            rendezvous.value("DMLC_TRACKER_URI", words.master_host(info.job_name)),
            rendezvous.value("DMLC_TRACKER_PORT", str(words.RENDEZVOUS_PORT)),
            rendezvous.completion_index("DMLC_TASK_ID"),
            rendezvous.value("DMLC_NUM_WORKER", str(pod_set.count * max(gpus, 1))),
        ],
    )
