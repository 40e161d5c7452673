"""Everybody is asked to report before the process group is made, so that who is missing has a name.

torch's own rendezvous ends after its time-out with "1/2 clients joined", or with a refused connection. Here every rank
writes its name into the store and waits for all others; what is not there when time is up is what the error says.
"""

from __future__ import annotations

import datetime
import time

import torch.distributed as dist

from sidings_train.errors import MissingRankError
from sidings_train.seat import Seat

_FIRST_LOOK = 0.01  # seconds; doubled up to _LAST_LOOK: a store that many ranks ask is one thread on rank 0
_LAST_LOOK = 1.0


def open_store(seat: Seat, timeout: datetime.timedelta) -> dist.Store:
    """The store of this world: served by rank 0, or by torchrun's agent."""
    if seat.master is None:
        return dist.HashStore()
    host, port = seat.master
    serves = seat.rank == 0 and not seat.agent_store
    try:
        return dist.TCPStore(host, port, seat.size, serves, timeout, wait_for_workers=False, multi_tenant=True)
    except (dist.DistError, RuntimeError) as error:
        if serves:
            raise MissingRankError(
                f"rank 0 cannot serve the rendezvous on {host}:{port}",
                cause=str(error).splitlines()[0],
                remedy=f"free port {port} on this node, or set MASTER_PORT to a free one on all",
            ) from error
        raise MissingRankError(
            f"rank 0 did not come: nobody answers on {host}:{port} within {timeout.total_seconds():g} s",
            cause=str(error).splitlines()[0],
            remedy="look at rank 0's pod and its log; rank 0 must be reachable under MASTER_ADDR",
        ) from error


def wait_for_all(store: dist.Store, rank: int, size: int, name: str, timeout: datetime.timedelta) -> list[str]:
    """Report as ``name`` and wait for everybody: the names by rank. MissingRankError names who did not come."""
    store.set(_key(rank), name)
    ends = time.monotonic() + timeout.total_seconds()
    missing, pause = list(range(size)), _FIRST_LOOK
    while missing := [other for other in missing if not store.check([_key(other)])]:
        if time.monotonic() >= ends:
            here = [f"{other} ({store.get(_key(other)).decode()})" for other in range(size) if other not in missing]
            raise MissingRankError(
                f"{_ranks(missing)} of {size} did not come within {timeout.total_seconds():g} s",
                cause=f"here are only {', '.join(here)}",
                remedy="look at the missing ranks' pods: still pending, image not there, or failed before start()",
            )
        time.sleep(pause)
        pause = min(pause * 2, _LAST_LOOK)
    return [store.get(_key(other)).decode() for other in range(size)]


def _key(rank: int) -> str:
    return f"sidings/here/{rank}"


def _ranks(ranks: list[int]) -> str:
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"
