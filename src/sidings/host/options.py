"""What ``up`` can be told, checked once, and remembered for the next ``up``.

Remembered, because pods belong to nodes: after a crash or a reboot a plain ``sidings up`` must bring back the nodes
that they run on. An option that is given replaces the remembered one, one that is not given keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from sidings.api import feature_gates, quantity
from sidings.controllers.trainjob import profiles
from sidings.host import log_format
from sidings.host.errors import OptionInvalid
from sidings.node.logical_node import SANDBOX
from sidings.node.sandbox.tier import Choice

MAX_NODES = 250
MAX_GPUS = 64
STOP_GRACE_SECONDS = 30.0
"""What pods get at most to write a checkpoint when the engine stops; Kubernetes' default of their grace period."""
FORCED_GRACE_SECONDS = 2.0
"""The same for ``down --force``: enough to say goodbye, as kubelet's minimum."""


@dataclass(frozen=True)
class EngineOptions:
    """``cpu`` and ``memory`` are Kubernetes quantities per node, ``""`` for the machine's own; ``port`` 0 is any free.

    ``images`` maps image patterns to Python environments (``("pytorch/*", "/opt/venv")``), first match wins.
    """

    nodes: int = 1
    cpu: str = ""
    memory: str = ""
    gpus_per_node: int | None = None
    """None: the machine's GPUs, shared evenly."""
    simulate_gpus: bool = False
    port: int = 0
    kubeconfig: str = ""
    images: tuple[tuple[str, str], ...] = ()
    feature_gates: str = ""
    """``A=true,B=true``, as ``api.feature_gates`` reads it."""
    runtime: str = SANDBOX
    """``sandbox``, or the container engine that runs pods from their images."""
    tier: str = Choice.AUTO
    """What pods are to have of their own; ``auto``: as much as this machine allows."""
    scrape_token_file: str = ""
    """Whose token may read /metrics and nothing else."""
    profile: str = ""
    """Whose runtimes there are, one of ``controllers.trainjob.profiles``; ``""`` is Kubeflow Trainer's own."""
    log_format: str = log_format.TEXT
    """Of the engine's own log: one of ``log_format.FORMATS``."""
    s3: bool = False
    """Whether there is object storage for pods."""
    s3_folder: str = ""
    """What it serves; ``""`` is a folder of the home."""
    last_port: int = 0
    """The port of the engine before, taken again where it is free: clients that lost that one find this one."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> EngineOptions:
        """Options of any version: fields that this one does not know are left out."""
        known = {field.name for field in fields(cls)}
        values = {key: value for key, value in data.items() if key in known}
        values["images"] = tuple((str(pattern), str(prefix)) for pattern, prefix in values.get("images") or ())
        return cls(**values)

    def with_given(self, given: Mapping[str, Any]) -> EngineOptions:
        """These options with those that a user gave (not None)."""
        return replace(self, **{key: value for key, value in given.items() if value is not None}).checked()

    def checked(self) -> EngineOptions:
        """Self, or ``OptionInvalid`` that names the option."""
        _in_range("--nodes", self.nodes, 0, MAX_NODES)
        _in_range("--gpus-per-node", self.gpus_per_node or 0, 0, MAX_GPUS)
        _in_range("--port", self.port, 0, 65535)
        _quantity("--cpu", self.cpu)
        _quantity("--memory", self.memory)
        try:
            feature_gates.parse(self.feature_gates)
        except ValueError as error:
            raise OptionInvalid(f"--feature-gates {self.feature_gates} cannot be", cause=str(error)) from error
        if self.profile not in ("", *profiles.names()):
            raise OptionInvalid(
                f"--profile {self.profile} is not known", cause=f"there are {', '.join(profiles.names())}"
            )
        return self


def _in_range(option: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise OptionInvalid(f"{option} {value} is out of range", cause=f"it must be from {low} to {high}")


def _quantity(option: str, text: str) -> None:
    """``""`` is the machine's own; any other must be a quantity greater than 0."""
    if not text:
        return
    try:
        amount = quantity.parse(text)
    except ValueError as error:
        raise OptionInvalid(
            f"{option} {text} is no quantity", cause=str(error), remedy=f"{option} 8   (or 500m, 64Gi ...)"
        ) from error
    if amount <= 0:
        raise OptionInvalid(f"{option} {text} is too little", cause="it must be more than 0")
