"""What a TrainJob's runtime takes for granted: programs (``controllers.software``), and gang schedulers.

It is told when the JobSet is made, in an event of the TrainJob.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api.objects import Object
from sidings.api.trainer import torchtune, words
from sidings.controllers.software import Finding, Installed, Need, missing
from sidings.controllers.trainjob import plugins
from sidings.controllers.trainjob.info import RuntimeInfo

REASON_SCHEDULER = "GangSchedulerMissing"
_OF_POLICY = {
    "mpi": Need(("sshd", "ssh", "mpirun"), "apt-get install openmpi-bin openssh-server"),
    "flux": Need(("flux",), "install flux-core and flux-sched on this machine"),
}
_OF_TORCHTUNE = Need(("tune",), "pip install torchtune torchao")
_SCHEDULERS = {"coscheduling": "the coscheduling plug-in", "volcano": "Volcano"}


def findings(info: RuntimeInfo, installed: Installed) -> list[Finding]:
    """What the runtime of ``info`` needs and is not here; ``plugins.enforce`` has run."""
    return [*_missing_programs(info, installed), *_missing_schedulers(info)]


def _missing_programs(info: RuntimeInfo, installed: Installed) -> Iterator[Finding]:
    node = _trainer_container(info)
    image = str((info.trainer or {}).get("image") or node.get("image") or "")
    command = list((info.trainer or {}).get("command") or node.get("command") or ())
    needs = [
        (f"spec.mlPolicy.{name} of the runtime", _OF_POLICY[name])
        for name in plugins.active(info)
        if name in _OF_POLICY
    ]
    if command[: len(torchtune.COMMAND)] == torchtune.COMMAND:
        needs.append(("the command `tune run`", _OF_TORCHTUNE))
    for who, need in needs:
        if found := missing(who, need, "TrainJob", lambda program: installed(program, image)):
            yield found


def _trainer_container(info: RuntimeInfo) -> Object:
    pod_set = next(info.training(), None)
    return (pod_set.container(words.NODE) if pod_set else None) or {}


def _missing_schedulers(info: RuntimeInfo) -> Iterator[Finding]:
    for name in plugins.active(info):
        if name in _SCHEDULERS:
            yield Finding(
                REASON_SCHEDULER,
                f"spec.podGroupPolicy.{name} of the runtime: the PodGroup is made, but {_SCHEDULERS[name]} does not "
                "run here. Pods without a schedulerName are bound one by one; pods with another schedulerName than "
                "default-scheduler stay Pending. For all or nothing use a queue (kueue.x-k8s.io/queue-name)",
            )
