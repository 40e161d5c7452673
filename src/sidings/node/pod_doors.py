"""The ways into a pod and out of it while its agent looks after it: logs, commands, terminals, ports, usage.

What is asked for by a client (``api.pods.PodAccess``) goes by the pod's object; node ports go by its uid.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

from sidings.api.objects import Object, name_of, uid_of
from sidings.api.pods import LogOptions, Session, StreamOptions, Usage
from sidings.api.status import BadRequest, InternalError
from sidings.clock import Clock
from sidings.node import attach, exec, logs, pod_reach, usage
from sidings.node.errors import SandboxFailed
from sidings.node.network import AddressPool
from sidings.node.pod_reach import PodReach
from sidings.node.recently_read import RecentlyRead
from sidings.node.sandbox import client as sandbox_client
from sidings.node.sandbox.client import SandboxClient
from sidings.node.sandbox.spec import Attempt

Attempts = Mapping[str, list[Attempt]]
"""By container, the newest last."""


class PodDoors:
    """Of all pods of this machine; implements ``api.pods.PodAccess``."""

    def __init__(
        self,
        sandbox: SandboxClient,
        pods_root: Path,
        clock: Clock,
        addresses: AddressPool,
        attended: Callable[[str], Attempts],
    ) -> None:
        """``attended`` gives what is known of a pod that is looked after, by uid; empty for all others."""
        self._sandbox = sandbox
        self._pods_root = pods_root
        self._clock = clock
        self._addresses = addresses
        self._attended = attended
        self._read = RecentlyRead(clock)

    def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        """See ``PodAccess.logs``; the choice of the attempt is made (and refused) at the call."""
        uid, container = uid_of(pod), options.container
        attempts = self._attempts(uid).get(container, [])
        if options.previous and len(attempts) < 2:
            raise BadRequest(f'previous terminated container "{container}" in pod "{name_of(pod)}" not found')
        if not attempts:
            reason = _waiting_reason(pod, container)
            raise BadRequest(f'container "{container}" in pod "{name_of(pod)}" is waiting to start: {reason}')
        number = attempts[-2 if options.previous else -1].number

        def ended() -> bool:
            known = self._attempts(uid).get(container, [])
            return all(attempt.number != number or not attempt.running for attempt in known)

        return self._remembered(logs.log_file(self._directory(pod), container, number), options, ended)

    async def _remembered(self, log: Path, options: LogOptions, ended: Callable[[], bool]) -> AsyncIterator[bytes]:
        reader = logs.Reader(log)
        async for chunk in logs.read(reader, options, self._clock, ended):
            yield chunk
        if options == LogOptions(options.container):
            self._read.note(log, reader.position)

    async def execute(self, pod: Object, command: tuple[str, ...], options: StreamOptions, session: Session) -> int:
        """See ``PodAccess.execute``."""
        attempts = self._attempts(uid_of(pod)).get(options.container)
        if not attempts or not attempts[-1].running:
            raise BadRequest(f'container not found ("{options.container}"): it does not run')
        try:
            return await exec.execute(self._sandbox, self._directory(pod), command, options, session)
        except (SandboxFailed, OSError) as error:
            what = error.what if isinstance(error, SandboxFailed) else str(error)
            raise InternalError(f"Internal error occurred: error executing command in container: {what}") from error

    async def attach(self, pod: Object, options: StreamOptions, session: Session) -> None:
        """See ``PodAccess.attach``."""
        container, directory = options.container, self._directory(pod)
        attempts = self._attempts(uid_of(pod)).get(container)
        if not attempts:
            reason = _waiting_reason(pod, container)
            raise BadRequest(f'container "{container}" in pod "{name_of(pod)}" is waiting to start: {reason}')
        log = logs.log_file(directory, container, attempts[-1].number)
        await attach.attach(self._sandbox, directory, log, self._read.known(log), options, session)

    async def connect(self, pod: Object, port: int) -> socket.socket:
        """See ``PodAccess.connect``."""
        try:
            made = await self._sandbox.new_socket(self._directory(pod))
        except (SandboxFailed, OSError) as error:
            raise BadRequest(f'pod "{name_of(pod)}" does not run') from error
        return await pod_reach.connected(made, self._own_port(pod, port))

    def _own_port(self, pod: Object, port: int) -> tuple[str, int]:
        """Where a port of the pod's localhost is."""
        tier = self._sandbox.tier
        return ("127.0.0.1", port) if tier.namespaces else tier.placed(pod["status"]["podIP"], port)

    async def usage(self, pods: Sequence[Object]) -> dict[str, dict[str, Usage]]:
        """See ``PodAccess.usage``."""
        roots: dict[str, dict[str, int]] = {}
        for uid in map(uid_of, pods):
            for name, attempts in self._attended(uid).items():
                if attempts[-1].running:
                    roots.setdefault(uid, {})[name] = attempts[-1].pid
        return await usage.measure(roots, self._clock)

    async def dial(self, uid: str, port: int) -> socket.socket:
        """A connection to a port of a pod from inside its network. Raises ``SandboxFailed`` or ``OSError``."""
        address = self._addresses.address_of(uid)
        if address is None:
            raise SandboxFailed("the pod has ended")
        return await PodReach(self._sandbox, self._pods_root / uid).connect(address, port)

    def _directory(self, pod: Object) -> Path:
        return self._pods_root / uid_of(pod)

    def _attempts(self, uid: str) -> Attempts:
        if attempts := self._attended(uid):
            return attempts
        status = sandbox_client.read_status(self._pods_root / uid)
        return status.attempts if status is not None else {}


def _waiting_reason(pod: Object, container: str) -> str:
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        if status["name"] == container:
            return str((status["state"].get("waiting") or {}).get("reason") or "ContainerCreating")
    return "ContainerCreating"
