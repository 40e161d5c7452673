"""Following one resource: everything there is, then every change, again after each interruption."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from sidings.api.objects import Object
from sidings.api.resources import Resource
from sidings.api.status import ApiError, Expired
from sidings.client.interface import Client
from sidings.clock import Clock

log = logging.getLogger(__name__)

AGAIN_SECONDS = 1.0


async def follow(
    client: Client,
    clock: Clock,
    resource: Resource,
    everything: Callable[[Sequence[Object]], None],
    change: Callable[[str, Object], None],
) -> None:
    """Until cancelled. ``everything`` gets the whole list, so that it sees what was deleted while nobody watched;
    ``change`` then gets (type, object) for each event."""
    while True:
        try:
            listed = await client.list(resource)
            everything(listed.items)
            async for event in client.watch(resource, resource_version=listed.resource_version):
                if event.type != "BOOKMARK":
                    change(event.type, event.object)
        except Expired:
            continue
        except ApiError as error:
            log.warning("watch of %s failed: %s", resource.plural, error)
        await clock.sleep(AGAIN_SECONDS)
