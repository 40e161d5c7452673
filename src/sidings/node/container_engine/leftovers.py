"""Containers of ours whose keepers are gone: a shim and its keepers were killed, or the machine was restarted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sidings.node.container_engine import invocation
from sidings.node.container_engine.engine import ContainerEngine


async def remove(engine: ContainerEngine, of_pod: Callable[[str], bool] = lambda uid: True) -> int:
    """End and remove the containers of this agent's pods that ``of_pod`` (uid) names; returns how many."""
    lines = [line.split() for line in (await _ask(engine, invocation.listed(engine))).splitlines()]
    found = [id_ for id_, uid in lines if of_pod(uid)]
    if found:
        await _ask(engine, invocation.remove(engine, *found))
    return len(found)


async def _ask(engine: ContainerEngine, argv: tuple[str, ...]) -> str:
    process = await asyncio.create_subprocess_exec(
        *argv,
        env=dict(engine.environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    answer, _ = await process.communicate()
    return answer.decode()
