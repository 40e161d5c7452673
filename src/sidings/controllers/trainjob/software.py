"""Software that a TrainJob's runtime takes for granted and this machine may lack.

On a cluster it comes with the image or was installed by an administrator. Where pods run the machine's own software a
program that is missing shows late, as a container that cannot start or a launcher that waits for ever; so it is told
when the JobSet is made, in an event of the TrainJob. The objects are made all the same: they are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sidings.api.objects import Object
from sidings.api.trainer import torchtune, words
from sidings.controllers.trainjob import plugins
from sidings.controllers.trainjob.info import RuntimeInfo

Installed = Callable[[str, str], bool]
"""Whether a pod of an image (the second) finds a program (the first)."""

REASON_SOFTWARE = "SoftwareMissing"
REASON_SCHEDULER = "GangSchedulerMissing"


class Need(NamedTuple):
    """``remedy``: how to get the programs."""

    programs: tuple[str, ...]
    remedy: str


_OF_POLICY = {
    "mpi": Need(("sshd", "ssh", "mpirun"), "apt-get install openmpi-bin openssh-server"),
    "flux": Need(("flux",), "install flux-core and flux-sched on this machine"),
}
_OF_TORCHTUNE = Need(("tune",), "pip install torchtune torchao")
_SCHEDULERS = {"coscheduling": "the coscheduling plug-in", "volcano": "Volcano"}


class Finding(NamedTuple):
    """What a user is told."""

    reason: str
    message: str


def everything(program: str, image: str) -> bool:
    """Where images are real: they bring what they need."""
    return True


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
        if missing := [program for program in need.programs if not installed(program, image)]:
            yield Finding(
                REASON_SOFTWARE,
                f"{who} needs {' and '.join(missing)}, which pods do not find on this machine: they will fail. Install "
                f"what is missing ({need.remedy}), then delete the TrainJob and create it again",
            )


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
