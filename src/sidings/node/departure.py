"""A pod that ends because its node stops, as by kubelet's graceful shutdown of a node.

It gets its preStop hooks, SIGTERM and its own terminationGracePeriodSeconds, at most what the node grants. The API is
not told: the records keep how it ended, and the next agent reports that.
"""

from __future__ import annotations

import asyncio
import logging

from sidings.api.objects import Object, key_of
from sidings.node.pod_reach import PodReach
from sidings.node.pod_sandbox import PodBox
from sidings.node.stopping import Stopping, grace_seconds
from sidings.node.workshop import Workshop

log = logging.getLogger(__name__)


async def depart(pod: Object, shop: Workshop, most_seconds: float) -> None:
    """Stop all containers of ``pod``, which nobody else looks after any more; returns when none runs."""
    news = asyncio.Event()
    box = PodBox(pod, shop)
    box.adopt(news)

    def note(type_: str, reason: str, message: str) -> None:
        log.info("pod %s: %s %s", key_of(pod), reason, message)

    async def changed() -> None:
        await news.wait()
        news.clear()

    stopping = Stopping(box, PodReach(shop.sandbox, box.directory), shop.clock, note)
    try:
        await stopping.stop_all(lambda: pod, lambda: min(grace_seconds(pod), most_seconds), changed)
    finally:
        stopping.close()
        box.release()
