"""``mlPolicy.jax``: the variables that ``jax.distributed.initialize`` reads (Trainer 2.3).

The user's env comes after them, so it can override them; upstream does not forbid it (kubeflow/trainer#3669).
"""

from __future__ import annotations

from sidings.api.trainer import words
from sidings.controllers.trainjob.info import RuntimeInfo
from sidings.controllers.trainjob.plugins import plain, rendezvous


def enforce(info: RuntimeInfo) -> None:
    plain.set_node_count(info)
    pod_set = next(info.training(), None)
    if pod_set is None:
        return
    rendezvous.add(
        pod_set,
        [
            rendezvous.value("JAX_NUM_PROCESSES", str(pod_set.count)),
            rendezvous.completion_index("JAX_PROCESS_ID"),
            rendezvous.value("JAX_COORDINATOR_ADDRESS", f"{words.master_host(info.job_name)}:{words.RENDEZVOUS_PORT}"),
        ],
    )
