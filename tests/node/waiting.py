"""Waiting for something that other processes do: it can only be looked at again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

PATIENCE_SECONDS = 180.0


async def until(condition: Callable[[], object]) -> None:
    """Return once ``condition()`` is true; ``TimeoutError`` if it never is."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110 - no event tells what a process of another session does
            await asyncio.sleep(0.005)
