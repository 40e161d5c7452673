"""ML policies: how the processes of a TrainJob find each other.

A plug-in is a function that changes a ``RuntimeInfo`` in place; ``POLICIES`` says which field of ``mlPolicy`` turns it
on. A runtime that asks for a policy that is not here is refused with its name: silence would look like a hang.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sidings.controllers.trainjob.companions import Companion
from sidings.controllers.trainjob.errors import BuildError
from sidings.controllers.trainjob.info import RuntimeInfo
from sidings.controllers.trainjob.plugins import jax, mpi, plain, torch, xgboost

Plugin = Callable[[RuntimeInfo], None]

POLICIES: Mapping[str, Plugin] = {
    "torch": torch.enforce,
    "mpi": mpi.enforce,
    "jax": jax.enforce,
    "xgboost": xgboost.enforce,
}
NOT_BESIDE_PLAIN = ("torch", "mpi", "jax")
"""Policies that count nodes and place the user's env themselves; beside the others ``plain`` does it."""
UNSUPPORTED = ("flux",)


def enforce(info: RuntimeInfo) -> None:
    """Run the plug-ins that the runtime asks for; raises :class:`BuildError` for one that is not supported."""
    policy = info.policy or {}
    refuse_unsupported(info)
    if all(policy.get(name) is None for name in NOT_BESIDE_PLAIN):
        plain.enforce(info)
    for name, plugin in POLICIES.items():
        if policy.get(name) is not None:
            plugin(info)


def companions(info: RuntimeInfo) -> list[Companion]:
    """What the TrainJob needs beside its JobSet; ``enforce`` has run."""
    return mpi.companions(info) if (info.policy or {}).get("mpi") is not None else []


def refuse_unsupported(info: RuntimeInfo) -> None:
    runtime = f'{info.runtime["kind"]} "{info.runtime["metadata"]["name"]}"'
    for name in UNSUPPORTED:
        if (info.policy or {}).get(name) is not None:
            raise BuildError(f"{runtime}: spec.mlPolicy.{name} is not supported by Sidings")
    for name in info.runtime["spec"].get("podGroupPolicy") or {}:
        raise BuildError(f"{runtime}: spec.podGroupPolicy.{name} is not supported by Sidings")
