from __future__ import annotations

import asyncio
import time

from sidings.clock import SystemClock
from sidings.node.health import hooks
from tests.node.health.places import closed_port, place, serving


async def _not_found(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
    await writer.drain()


async def test_a_hook_by_http_needs_an_answer_and_not_a_good_one() -> None:
    """kubelet looks at no status here, unlike in a probe."""
    async with serving(_not_found) as port:
        assert (await hooks.run({"httpGet": {"port": port}}, place(), SystemClock(), 5)).well
    answer = await hooks.run({"httpGet": {"port": closed_port()}}, place(), SystemClock(), 5)
    assert not answer.well and "connection refused" in answer.message


async def test_sleep_lasts_no_longer_than_the_grace_period_and_cannot_fail() -> None:
    began = time.monotonic()
    assert (await hooks.run({"sleep": {"seconds": 60}}, place(), SystemClock(), 0.05)).well
    assert time.monotonic() - began < 30


def test_a_hook_is_found_by_its_name() -> None:
    container = {"lifecycle": {"preStop": {"sleep": {"seconds": 1}}}}
    assert hooks.hook(container, "preStop") == {"sleep": {"seconds": 1}}
    assert hooks.hook(container, "postStart") is None
    assert hooks.hook({}, "preStop") is None
