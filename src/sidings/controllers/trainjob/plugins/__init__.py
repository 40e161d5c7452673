"""What a runtime's policies make of a TrainJob: how its processes find each other, how its pods are scheduled together.

A plug-in is a module with ``enforce``, which changes a ``RuntimeInfo`` in place, and, where it needs objects beside
the JobSet, ``companions``. ``POLICIES`` and ``GANGS`` say which field of ``mlPolicy`` and ``podGroupPolicy`` turns it
on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sidings.controllers.trainjob.companions import Companion
from sidings.controllers.trainjob.info import RuntimeInfo
from sidings.controllers.trainjob.plugins import coscheduling, flux, jax, mpi, plain, torch, volcano, xgboost

Enforce = Callable[[RuntimeInfo], None]
Companions = Callable[[RuntimeInfo], list[Companion]]

POLICIES: Mapping[str, Enforce] = {
    "flux": flux.enforce,
    "torch": torch.enforce,
    "mpi": mpi.enforce,
    "jax": jax.enforce,
    "xgboost": xgboost.enforce,
}
NOT_BESIDE_PLAIN = ("torch", "mpi", "jax")
"""Policies that count nodes and place the user's env themselves; beside the others ``plain`` does it."""
GANGS: Mapping[str, Enforce] = {"coscheduling": coscheduling.enforce, "volcano": volcano.enforce}
COMPANIONS: Mapping[str, Companions] = {
    "coscheduling": coscheduling.companions,
    "volcano": volcano.companions,
    "mpi": mpi.companions,
    "flux": flux.companions,
}


def enforce(info: RuntimeInfo) -> None:
    """Run the plug-ins that the runtime asks for; raises :class:`BuildError` where one cannot do its part."""
    policy = info.policy or {}
    if all(policy.get(name) is None for name in NOT_BESIDE_PLAIN):
        plain.enforce(info)
    for name in active(info):
        (POLICIES.get(name) or GANGS[name])(info)


def companions(info: RuntimeInfo) -> list[Companion]:
    """What the TrainJob needs beside its JobSet; ``enforce`` has run."""
    return [companion for name in active(info) if name in COMPANIONS for companion in COMPANIONS[name](info)]


def active(info: RuntimeInfo) -> Iterator[str]:
    """The names of the plug-ins that the runtime turns on, ML policies first."""
    for names, asked in ((POLICIES, info.policy or {}), (GANGS, info.runtime["spec"].get("podGroupPolicy") or {})):
        yield from (name for name in names if asked.get(name) is not None)
