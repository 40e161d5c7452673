"""Where progress is looked for: the TrainJob first, then the logs of a job's first ranks."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping
from typing import Any

from sidings.api import catalog
from sidings.api.objects import Object, name_of
from sidings.api.pods import LogOptions
from sidings.api.resources import NAMESPACES, PODS, TRAIN_JOBS
from sidings.cli import reported
from sidings.client.interface import Client
from sidings.client.local import LocalClient
from sidings.clock import ManualClock
from sidings.registry.registry import Registry
from sidings.store.store import Store

STAMP = "2026-11-30T12:00:0%dZ"


class Logs:
    """What pods have written, by name; ``read`` are those that were asked."""

    def __init__(self, written: Mapping[str, str]) -> None:
        self.written = written
        self.read: list[str] = []

    async def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        assert (options.container, options.timestamps, options.tail_lines) == ("main", True, reported.LINES_READ)
        self.read.append(name_of(pod))
        yield self.written[name_of(pod)].encode()


def job(name: str, *ranks: tuple[str, str], kind: str = "JobSet") -> dict[str, Any]:
    return {
        "namespace": "team",
        "kind": kind,
        "name": name,
        "ranks": [
            {"part": part, "rank": rank, "pod": f"{name}-{part}-{rank}", "running": True} for part, rank in ranks
        ],
    }


async def client_with(logs: Logs, pods: list[str]) -> Client:
    client = LocalClient(Registry(Store.in_memory(), catalog.builtin(), ManualClock(), random.Random(1)), logs)
    await client.create(NAMESPACES, {"metadata": {"name": "team"}})
    for name in pods:
        containers = [{"name": "main", "image": "i"}, {"name": "beside", "image": "i"}]
        await client.create(PODS, {"metadata": {"name": name}, "spec": {"containers": containers}}, namespace="team")
    return client


async def steps(client: Client, *jobs: dict[str, Any], namespace: str = "team") -> list[int | None]:
    told = await reported.read(client, jobs, namespace)
    return [each and each.step for each in told]


async def test_first_ranks_speak_and_the_last_word_counts() -> None:
    logs = Logs({"a-prep-0": f"{STAMP % 1} step 9/9 loss 1\n", "a-node-0": f"{STAMP % 2} step 2/9 loss 1\n"})
    client = await client_with(logs, ["a-prep-0", "a-node-0", "a-node-1"])
    assert await steps(client, job("a", ("node", "0"), ("node", "1"), ("prep", "0"))) == [2]
    assert sorted(logs.read) == ["a-node-0", "a-prep-0"]


async def test_the_train_job_spares_its_log() -> None:
    client = await client_with(Logs({}), [])
    train_job = {"metadata": {"name": "a"}, "spec": {"runtimeRef": {"name": "r"}}}
    await client.create(TRAIN_JOBS, train_job, namespace="team")
    status = {"progressPercentage": 30, "lastUpdatedTime": STAMP % 1, "metrics": [{"name": "step", "value": "3"}]}
    await client.patch(TRAIN_JOBS, "a", {"status": {"trainerStatus": status}}, namespace="team", subresource="status")
    for namespace in ("team", ""):
        assert await steps(client, job("a", ("node", "0")), namespace=namespace) == [3]
    assert await steps(client, job("a", ("", "0"), kind="Job")) == [None], "of the same name, and another's"


async def test_who_says_nothing_and_who_is_gone_are_none() -> None:
    client = await client_with(Logs({"a-node-0": "starting\n"}), ["a-node-0"])
    assert await reported.read(client, [job("a", ("node", "0")), job("gone", ("node", "0"))], "team") == [None, None]
    assert await reported.read(client, [], "team") == []


async def test_of_pods_without_numbers_a_few_are_asked() -> None:
    many = job("a", *((f"worker{number}", "") for number in range(9)))
    pods = [rank["pod"].rstrip("-") for rank in many["ranks"]]
    for rank, pod in zip(many["ranks"], pods, strict=True):
        rank["pod"] = pod
    logs = Logs(dict.fromkeys(pods, "nothing\n"))
    assert await reported.read(await client_with(logs, pods), [many], "team") == [None]
    assert logs.read == pods[: reported.MOST_LOGS]
