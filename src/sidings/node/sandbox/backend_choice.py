"""Which pod of a Service a client gets: in turns, or with client affinity the one it had. Pure but for the memory."""

from __future__ import annotations

from collections.abc import Sequence

Address = tuple[str, int]

_MAX_CLIENTS = 10_000


class BackendChoice:
    """The pods behind one port of one Service."""

    def __init__(self) -> None:
        self._targets: Sequence[Address] = ()
        self._sticky_seconds = 0
        self._turn = 0
        self._chosen: dict[str, tuple[Address, float]] = {}
        """Client -> its pod and when it was last there, the latest last."""

    def update(self, targets: Sequence[Address], sticky_seconds: int) -> None:
        """``sticky_seconds``: how long after its last connection a client keeps its pod; 0: it does not."""
        self._targets = targets
        self._sticky_seconds = sticky_seconds

    def order(self, client: str, now: float) -> list[Address]:
        """All pods, the one for ``client`` first."""
        targets = list(self._targets)
        if not targets:
            return []
        known = self._chosen.get(client)
        if known and known[0] in targets and now - known[1] <= self._sticky_seconds:
            first = targets.index(known[0])
        else:
            first = self._turn % len(targets)
            self._turn += 1
        return [*targets[first:], *targets[:first]]

    def settled(self, client: str, target: Address, now: float) -> None:
        """``client`` was connected to ``target``, which need not have been the first."""
        if not self._sticky_seconds:
            return
        self._chosen.pop(client, None)
        self._chosen[client] = (target, now)
        if len(self._chosen) > _MAX_CLIENTS:
            del self._chosen[next(iter(self._chosen))]
