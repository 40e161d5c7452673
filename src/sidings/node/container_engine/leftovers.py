"""Containers of ours whose keepers are gone: a shim and its keepers were killed, or the machine was restarted."""

from __future__ import annotations

import asyncio

from sidings.node.container_engine import invocation
from sidings.node.container_engine.engine import ContainerEngine


async def remove(engine: ContainerEngine, pod_uid: str = "") -> int:
    """End and remove what is left of one pod, or of all pods of this agent; returns how many containers."""
    found = (await _ask(engine, invocation.listed(engine, pod_uid))).split()
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
