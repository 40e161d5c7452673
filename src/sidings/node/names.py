"""The name table on disk, kept in step with Services, pods and addresses for the name server to read.

Written only when it changed, and before a pod whose names are new is started: names must not flap.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from sidings.api.objects import Object
from sidings.node import dns
from sidings.node.network import AddressPool
from sidings.node.sandbox.name_server import Table

log = logging.getLogger(__name__)


class NameTable:
    """``dns.json`` of one agent."""

    def __init__(self, path: Path, addresses: AddressPool) -> None:
        self._path = path
        self._addresses = addresses
        self._written: Table | None = None

    def refresh(self, services: Iterable[Object], pods: Iterable[Object], slices: Iterable[Object] = ()) -> None:
        table = dns.table(services, pods, self._addresses.known(), slices)
        if table == self._written:
            return
        fresh = self._path.with_suffix(".new")
        try:
            fresh.write_text(table.dump())
            fresh.replace(self._path)
        except OSError as error:
            log.warning("pod names are out of date: %s", error)  # the next change of any pod tries again
        else:
            self._written = table
