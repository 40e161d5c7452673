"""``mlPolicy.torch``: the PET_* variables that torchrun reads, and TorchTune's command (Trainer 2.3).

``torchrun`` started on each node with these finds its peers by itself: number of nodes, own rank, processes per node,
and the first node's name and port.
"""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.trainer import torchtune, words
from sidings.api.trainer.processes import processes_per_node
from sidings.controllers.trainjob import upsert
from sidings.controllers.trainjob.errors import BuildError
from sidings.controllers.trainjob.info import RuntimeInfo
from sidings.controllers.trainjob.plugins import plain, rendezvous


def enforce(info: RuntimeInfo) -> None:
    plain.set_node_count(info)
    pod_set = next(info.training(), None)
    if pod_set is None:
        return
    variables = _variables(info, pod_set.count)
    plain.add_user_env(info)
    if torchtune.is_torchtune(info.job):
        # TorchTune gets the rendezvous as an argument of its command.
        rendezvous.add(pod_set, variables[:3])
        _set_torchtune_command(info, pod_set.count)
    else:
        rendezvous.add(pod_set, variables)
    _inject(info, variables)


def _variables(info: RuntimeInfo, nodes: int) -> list[Object]:
    return [
        rendezvous.value("PET_NNODES", str(nodes)),
        rendezvous.value("PET_NPROC_PER_NODE", processes_per_node(info.job, info.runtime)),
        rendezvous.completion_index("PET_NODE_RANK"),
        rendezvous.value("PET_MASTER_ADDR", words.master_host(info.job_name)),
        rendezvous.value("PET_MASTER_PORT", str(words.RENDEZVOUS_PORT)),
    ]


def _inject(info: RuntimeInfo, variables: list[Object]) -> None:
    """``envInjection``: the same variables for other containers of the runtime."""
    injection = ((info.policy or {})["torch"].get("envInjection")) or {}
    for target in injection.get("targets") or ():
        for name in target["containerNames"]:
            pod_set = info.pod_set(target["jobName"])
            container = pod_set.any_container(name) if pod_set else None
            if container is None:
                raise BuildError(
                    f'envInjection target podSet "{target["jobName"]}" container "{name}" not found in runtime template'
                )
            upsert.env(container, variables)


def _set_torchtune_command(info: RuntimeInfo, nodes: int) -> None:
    """The trainer's command becomes the recipe; ``job_set`` then puts it into the container like any command."""
    tuning = torchtune.tuning_of(info.job, info.runtime, nodes)
    command = tuning.command(info.job_name, torchtune.runtime_command(info.template))
    trainer = {**info.job["spec"]["trainer"], "command": command}
    info.job = {**info.job, "spec": {**info.job["spec"], "trainer": trainer}}
