"""Workloads whose job is gone: they hold quota for nobody, so they are let go and deleted."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from sidings.api.kueue import keys
from sidings.api.objects import Object, copy_of, is_deleting, name_of, namespace_of, uid_of
from sidings.api.resources import WORKLOADS
from sidings.api.status import NotFound
from sidings.client.interface import Client


async def let_go(client: Client, workloads: Iterable[Object], *, field_manager: str) -> None:
    """Take the finalizer off and delete each of ``workloads``. One that goes meanwhile is no error."""
    for workload in workloads:
        with contextlib.suppress(NotFound):
            finalizers = workload["metadata"].get("finalizers") or []
            if keys.RESOURCE_IN_USE in finalizers:
                changed = copy_of(workload)
                changed["metadata"]["finalizers"] = [name for name in finalizers if name != keys.RESOURCE_IN_USE]
                await client.update(WORKLOADS, changed, field_manager=field_manager)
            if not is_deleting(workload):
                await client.delete(WORKLOADS, name_of(workload), namespace_of(workload), uid=uid_of(workload))
