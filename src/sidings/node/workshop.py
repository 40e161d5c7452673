"""What all pods of one agent share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sidings.api.objects import Object
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.node.container_engine.image_store import ImageStore
from sidings.node.gpus.manager import GpuManager
from sidings.node.limits.limiter import Limiter
from sidings.node.logical_node import LogicalNode, NodeConfig
from sidings.node.network import AddressPool
from sidings.node.sandbox.client import SandboxClient


@dataclass(frozen=True)
class Workshop:
    """Handed to each; they change nothing of it but what its parts do themselves."""

    client: Client
    clock: Clock
    sandbox: SandboxClient
    config: NodeConfig
    nodes: Mapping[str, tuple[int, LogicalNode]]
    """Node name -> (number, node)."""
    addresses: AddressPool
    gpus: GpuManager
    pods_root: Path
    claims_root: Path
    libraries: Path
    """Where libraries that are compiled on this machine are kept."""
    limiter: Limiter
    secrets: tuple[Path, ...]
    homes: tuple[Path, ...]
    note: Callable[[Object, str, str, str], None]
    """Record an event (pod, type, reason, message), later."""
    service_variables: Callable[[Object], Mapping[str, str]]
    """What a pod's containers are told about Services, as they are now."""
    released: Callable[[str], None]
    """Told when a pod has given its address back, with its shared-memory group."""
    images: ImageStore | None = None
    """Of the container engine that runs the pods; None: they run this machine's software."""
