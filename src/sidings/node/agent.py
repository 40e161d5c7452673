"""The agent of this machine's logical nodes (signature first; the body follows)."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from sidings.api.objects import Object
from sidings.api.pods import LogOptions
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.node.logical_node import LogicalNode, NodeConfig


class NodeAgent:
    """Runs the pods bound to ``nodes``; implements ``api.pods.PodAccess``."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        rng: random.Random,
        state_dir: Path,
        nodes: Sequence[LogicalNode],
        config: NodeConfig | None = None,
    ) -> None:
        raise NotImplementedError

    async def run(self) -> None:
        """Register the nodes, re-adopt their pods and run what is bound to them, until cancelled."""
        raise NotImplementedError

    async def stop_all(self, grace_seconds: float = 0) -> None:
        """Stop every sandbox: afterwards no process, mount or interface of this agent is left."""
        raise NotImplementedError

    def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        raise NotImplementedError
