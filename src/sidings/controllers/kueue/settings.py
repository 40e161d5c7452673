"""The configuration that counts now: defaults until the ConfigMap says otherwise, the last good one after that."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from sidings.api.kueue import configuration
from sidings.api.kueue.configuration import Configuration, ConfigurationError
from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS
from sidings.api.status import ApiError, Expired
from sidings.client.events import EventNote, Recorder
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.controller import REWATCH_SECONDS

log = logging.getLogger(__name__)

INVALID = "InvalidConfiguration"


class Settings:
    """``current`` is read at every decision."""

    name = "kueue settings"

    def __init__(self, client: Client, clock: Clock) -> None:
        self.current = Configuration()
        self.followers: list[Callable[[], Awaitable[None]]] = []
        """Called when ``current`` has changed."""
        self._client = client
        self._clock = clock
        self._recorder = Recorder(client, clock, "kueue-manager", classic=False)

    async def run(self) -> None:
        """Follow the ConfigMap until cancelled."""
        selector = f"metadata.name={configuration.NAME}"
        while True:
            try:
                async for event in self._client.watch(CONFIG_MAPS, configuration.NAMESPACE, field_selector=selector):
                    if event.type != "BOOKMARK":
                        await self.take(None if event.type == "DELETED" else event.object)
            except Expired:
                continue
            except ApiError as error:
                log.warning("%s: watch failed: %s", self.name, error)
            await self._clock.sleep(REWATCH_SECONDS)

    async def take(self, config_map: Object | None) -> None:
        """Adopt what ``config_map`` says; one that cannot be read is told in an event and changes nothing."""
        before = self.current
        try:
            self.current = configuration.of_config_map(config_map)
        except ConfigurationError as error:
            regarding = {"apiVersion": "v1", "kind": "ConfigMap", **(config_map or {})}
            await self._recorder.record(EventNote(regarding, "Warning", INVALID, str(error), action=INVALID))
        if self.current != before:
            for follow in self.followers:
                await follow()
