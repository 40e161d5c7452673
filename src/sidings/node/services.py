"""Services as the pods of this machine see them: what they are called, where they lead, and their ports on the machine.

Follows Services and EndpointSlices. Whoever follows pods asks for a :meth:`Services.refresh`: a pod that comes or goes
changes where Services lead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from sidings.api.kinds.endpoint_slice import MANAGED_BY, MANAGER
from sidings.api.objects import Object, labels_of, uid_of
from sidings.api.resources import ENDPOINT_SLICES, SERVICES
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.node import node_ports
from sidings.node.following import follow
from sidings.node.names import NameTable
from sidings.node.network import AddressPool
from sidings.node.node_ports import NodePorts
from sidings.node.service_table import ServiceTable


class Services:
    """For ``pods``, which are everybody's by uid and change under it; ``nodes`` are addresses by name."""

    def __init__(
        self,
        state_dir: Path,
        pods: Mapping[str, Object],
        addresses: AddressPool,
        nodes: Mapping[str, str],
        ports: NodePorts,
    ) -> None:
        self._pods = pods
        self._addresses = addresses
        self._names = NameTable(state_dir / "dns.json", addresses)
        self._table = ServiceTable(state_dir / "services.json", addresses, nodes)
        self._node_ports = ports
        self._services: dict[str, Object] = {}
        self._slices: dict[str, Object] = {}
        """EndpointSlices that say more than the Service's selector."""

    async def run(self, client: Client, clock: Clock) -> None:
        """Until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(follow(client, clock, SERVICES, self._all_services, self._service))
            tasks.create_task(follow(client, clock, ENDPOINT_SLICES, self._all_slices, self._slice))

    def all(self) -> Collection[Object]:
        return self._services.values()

    def close(self) -> None:
        """Nobody is led to a pod any more by ports of the machine."""
        self._node_ports.close()

    def _all_services(self, services: Sequence[Object]) -> None:
        self._services = {uid_of(service): service for service in services}
        self.refresh()

    def _service(self, type_: str, service: Object) -> None:
        if type_ == "DELETED":
            self._services.pop(uid_of(service), None)
        else:
            self._services[uid_of(service)] = service
        self.refresh()

    def _all_slices(self, slices: Sequence[Object]) -> None:
        self._slices = {uid_of(found): found for found in slices if _is_stated(found)}
        self.refresh()

    def _slice(self, type_: str, found: Object) -> None:
        if type_ == "DELETED" or not _is_stated(found):
            known = self._slices.pop(uid_of(found), None)
            if known is None:
                return
        else:
            self._slices[uid_of(found)] = found
        self.refresh()

    def refresh(self) -> None:
        slices = self._slices.values()
        self._names.refresh(self._services.values(), self._pods.values(), slices)
        pods = list(self._pods.values())
        self._table.refresh(self._services.values(), pods, slices)
        self._node_ports.refresh(node_ports.leads(self._services.values(), pods, self._addresses.known()))


def _is_stated(endpoint_slice: Object) -> bool:
    """Whether somebody wrote it, rather than the controller that follows selectors."""
    return labels_of(endpoint_slice).get(MANAGED_BY) != MANAGER
