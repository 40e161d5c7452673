"""The name table on disk, kept in step with Services, pods and addresses for the name server to read.

Written only when it changed, and before a pod whose names are new is started: names must not flap.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sidings.api.objects import Object
from sidings.node import dns
from sidings.node.network import AddressPool
from sidings.node.sandbox.name_server import Table


class NameTable:
    """``dns.json`` of one agent."""

    def __init__(self, path: Path, addresses: AddressPool) -> None:
        self._path = path
        self._addresses = addresses
        self._written: Table | None = None

    def refresh(self, services: Iterable[Object], pods: Iterable[Object]) -> None:
        table = dns.table(services, pods, self._addresses.known())
        if table == self._written:
            return
        fresh = self._path.with_suffix(".new")
        fresh.write_text(table.dump())
        fresh.replace(self._path)
        self._written = table
