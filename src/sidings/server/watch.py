"""A watch on the wire: one JSON event a line.

The registry decides what happened and when bookmarks are due; here events become frames in the negotiated form. A
version that is too old is no HTTP error but an ERROR event in an answer that began well, as kube-apiserver sends it.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from dataclasses import replace

from sidings.api import options
from sidings.api.options import ListOptions
from sidings.api.status import ApiError
from sidings.registry.watching import Event
from sidings.server.limits import WATCH_SECONDS
from sidings.server.queries import Query
from sidings.server.rendering import Rendering
from sidings.server.responses import encode


def options_of(query: Query, name: str, rng: random.Random) -> ListOptions:
    """The watch that a query asks for. ``name``: of the one object, from the deprecated ``/watch/`` paths.

    A watch without a time gets one, drawn so that watches that began together do not all come back together.
    """
    wanted = options.for_list(query, watch=True)
    if not wanted.timeout_seconds:
        wanted = replace(wanted, timeout_seconds=WATCH_SECONDS * (1 + rng.random()))
    if name:
        selectors = [selector for selector in (wanted.field_selector, f"metadata.name={name}") if selector]
        wanted = replace(wanted, field_selector=",".join(selectors))
    return wanted


async def frames(events: AsyncIterator[Event], rendering: Rendering) -> AsyncIterator[bytes]:
    """The frames of ``events``, to the end or to an ERROR event."""
    first = True
    try:
        async for event in events:
            yield rendering.frame(event, first=first)
            first = False
    except ApiError as error:
        yield encode({"type": "ERROR", "object": error.to_status()}) + b"\n"
