"""What LocalQueues have used of late: sampled, kept in their status over restarts, and given to the order of queues.

The arithmetic is ``queue.admission_fair_sharing``'s. While the configuration has no ``admissionFairSharing`` nothing is
sampled and nobody is burdened; a change of it counts from the next sample on.
"""

from __future__ import annotations

import logging

from sidings.api import timestamps
from sidings.api.objects import Key, Object, key_of
from sidings.api.resources import LOCAL_QUEUES
from sidings.api.status import ApiError
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.kueue.cache import Cache
from sidings.controllers.kueue.settings import Settings
from sidings.queue import amounts
from sidings.queue.admission_fair_sharing import Consumption, Rules, in_use, stored, weight_of
from sidings.queue.workloads import Workload

log = logging.getLogger(__name__)

FIELD_MANAGER = "kueue"


class LocalQueueUsage:
    """One task that samples; :meth:`burden_of` and :meth:`admitted` are the scheduler's."""

    name = "kueue local queue usage"

    def __init__(self, client: Client, clock: Clock, cache: Cache, settings: Settings) -> None:
        self._client = client
        self._clock = clock
        self._cache = cache
        self._settings = settings
        self._known: dict[Key, Consumption] = {}
        cache.burden_of = self.burden_of

    async def run(self) -> None:
        """Sample until cancelled."""
        while True:
            await self._clock.sleep(self._rules.sampling_interval)
            if self._settings.current.admission_fair_sharing.enabled:
                await self._sample()

    @property
    def _rules(self) -> Rules:
        return Rules.of(self._settings.current.admission_fair_sharing)

    def burden_of(self, workload: Workload) -> float:
        """What the LocalQueue of ``workload`` has used, by its weight."""
        key = Key(workload.namespace, workload.local_queue)
        obj = self._cache.local_queue(key)
        if obj is None or not self._settings.current.admission_fair_sharing.enabled:
            return 0.0
        return self._consumption(obj).burden(self._rules, weight_of(obj))

    def admitted(self, workload: Workload) -> None:
        """Let the admission of ``workload`` count until the next sample does."""
        obj = self._cache.local_queue(Key(workload.namespace, workload.local_queue))
        if obj is not None and self._settings.current.admission_fair_sharing.enabled:
            requests = in_use([workload])
            self._known[key_of(obj)] = self._consumption(obj).penalised(requests, self._rules)

    def _consumption(self, local_queue: Object) -> Consumption:
        """As last known: by us, or by whoever wrote the status before us."""
        key = key_of(local_queue)
        if key not in self._known:
            self._known[key] = stored(local_queue, self._clock.now())
        return self._known[key]

    async def _sample(self) -> None:
        holders: dict[Key, list[Workload]] = {}
        for key, holder in self._cache.holders():
            holders.setdefault(Key(key.namespace, holder.local_queue), []).append(holder)
        present = {key_of(obj): obj for obj in self._cache.of_kind(LOCAL_QUEUES)}
        self._known = {key: known for key, known in self._known.items() if key in present}
        now = self._clock.now()
        for key, obj in present.items():
            current = in_use(holders.get(key, ()))
            self._known[key] = self._consumption(obj).sampled(current, now, self._rules)
            await self._write(key, self._known[key])

    async def _write(self, key: Key, consumption: Consumption) -> None:
        consumed = {name: amounts.text(name, round(amount)) for name, amount in consumption.consumed.items()}
        known = {"consumedResources": consumed, "lastUpdate": timestamps.to_text(consumption.sampled_at)}
        body = {"status": {"fairSharing": {"weightedShare": 0, "admissionFairSharingStatus": known}}}
        try:
            await self._client.patch(
                LOCAL_QUEUES, key.name, body, namespace=key.namespace, subresource="status", field_manager=FIELD_MANAGER
            )
        except ApiError as error:  # the next sample says it again
            log.debug("%s: %s: %s", self.name, key.name, error)
