"""How fast store and registry are without a server: durable creates, reads, lists, and what objects cost in memory.

    python benchmarks/registry.py [--objects 10000] [--writers 16]

Everything runs on one event loop and a SQLite store in a temporary directory. Figures are for the machine that runs it:
see ``docs/performance.md``.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil

from sidings.api import catalog
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import ListOptions, WriteOptions
from sidings.api.resources import NAMESPACES, PODS, Resource
from sidings.clock import SystemClock
from sidings.registry.admission import defaults
from sidings.registry.registry import Registry
from sidings.store.entries import Put
from sidings.store.store import Store

READS = 100_000
LISTS = 20


def pod(number: int) -> Object:
    container = {
        "name": "trainer",
        "image": "pytorch/pytorch:2.13.0",
        "command": ["torchrun", "--nnodes=2", "train.py"],
        "env": [{"name": f"SETTING_{n}", "value": "value"} for n in range(10)],
    }
    return {"metadata": {"name": f"pod-{number}", "labels": {"app": "train"}}, "spec": {"containers": [container]}}


async def rate(count: int, writers: int, write: Callable[[int], Awaitable[object]]) -> float:
    """Writes a second, ``writers`` at a time."""
    numbers = iter(range(count))

    async def lane() -> None:
        for number in numbers:
            await write(number)

    began = time.perf_counter()
    await asyncio.gather(*(lane() for _ in range(writers)))
    return count / (time.perf_counter() - began)


def microseconds(times: int, read: Callable[[], object]) -> float:
    began = time.perf_counter()
    for _ in range(times):
        read()
    return (time.perf_counter() - began) / times * 1e6


async def measure(folder: Path, objects: int, writers: int) -> None:
    process = psutil.Process()
    store = Store.open(folder / "store.db")
    await store.write([Put(("raw", "", "warm"), {"metadata": {}})])
    plain = await rate(
        objects, writers, lambda n: store.write([Put(("raw", "default", f"{n}"), {**pod(n)}, expected=0)])
    )
    print(f"store: {plain:,.0f} durable creates/s with {writers} writers")
    print(f"store: {microseconds(READS, lambda: store.get(('raw', 'default', '7'))):.2f} us a get")
    await store.close()

    clock = SystemClock()
    store = Store.open(folder / "registry.db")
    registry = Registry(store, catalog.builtin(), clock, random.Random(), admission=defaults.plugins(clock))
    pods = kind(registry, PODS)
    options = WriteOptions(field_manager="benchmark")
    await registry.create(kind(registry, NAMESPACES), {"metadata": {"name": "default"}})
    before = process.memory_info().rss
    made = await rate(objects, writers, lambda n: registry.create(pods, pod(n), "default", options))
    print(f"registry: {made:,.0f} durable pod creates/s with {writers} writers")
    grown = (process.memory_info().rss - before) / 1e6
    print(f"registry: {grown:.0f} MB for {objects:,} pods and their history")
    print(f"registry: {microseconds(READS, lambda: registry.get(pods, 'pod-7', 'default')):.2f} us a get")
    for what, wanted in (
        ("list of 100", ListOptions(limit=100)),
        ("list of one by name", ListOptions(field_selector="metadata.name=pod-7")),
        ("list of none by label", ListOptions(label_selector="app=other")),
        ("list of all", ListOptions()),
    ):
        took = microseconds(LISTS, lambda wanted=wanted: registry.list(pods, "default", wanted)) / 1000
        print(f"registry: {took:.2f} ms a {what}")
    await store.close()
    began = time.perf_counter()
    await Store.open(folder / "registry.db").close()
    print(f"store: {time.perf_counter() - began:.2f} s to open {objects:,} pods")


def kind(registry: Registry, resource: Resource) -> Kind:
    found = registry.catalog.by_plural(resource.group, resource.version, resource.plural)
    assert found is not None
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=10_000)
    parser.add_argument("--writers", type=int, default=16)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), arguments.objects, arguments.writers))


if __name__ == "__main__":
    main()
