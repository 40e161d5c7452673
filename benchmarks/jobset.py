"""JobSets from apply to Complete on scripted nodes, and what one costs as there are more of them.

``python benchmarks/jobset.py [JOBSETS...]`` (default: 25 100 500 1250, which is 100 to 5,000 pods). Each JobSet has one
Job of four pods. The control plane is whole and durable (SQLite in a temporary folder) and works in real time; nodes
are scripted, so that no process is started: a pod succeeds as soon as it is bound. All objects are in one namespace,
which is the hardest case for controllers that list. CPU time is told beside the clock's: other work on the machine
changes the one and hardly the other.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

from sidings.api import objects, timestamps
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS, NODES, PODS, Resource
from sidings.api.status import Expired
from sidings.client.interface import Client, PatchType, WatchEvent
from sidings.clock import SystemClock
from sidings.host import bootstrap, memory
from sidings.host.control_plane import ControlPlane
from sidings.store.store import Store

PODS_EACH = 4
NODE_COUNT = 10
NAMESPACE = "default"


def jobset(number: int) -> Object:
    container = {"name": "main", "image": "img:1", "resources": {"requests": {"cpu": "1"}}}
    job_spec = {
        "parallelism": PODS_EACH,
        "completions": PODS_EACH,
        "backoffLimit": 0,
        "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
    }
    return {
        "apiVersion": JOB_SETS.api_version,
        "kind": JOB_SETS.kind,
        "metadata": {"name": f"js-{number}"},
        "spec": {"replicatedJobs": [{"name": "w", "template": {"spec": job_spec}}]},
    }


async def make_nodes(client: Client) -> None:
    moment = timestamps.to_text(SystemClock().now())
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": moment}
    amounts = {"cpu": "1000", "memory": "1Ti", "pods": "5000"}
    for number in range(NODE_COUNT):
        name = f"n-{number}"
        await client.create(NODES, {"metadata": {"name": name}})
        status = {"conditions": [ready], "allocatable": amounts, "capacity": amounts}
        await client.patch(NODES, name, {"status": status}, subresource="status")


async def watched(client: Client, resource: Resource) -> AsyncIterator[WatchEvent]:
    """Events without end; who falls behind the history that is kept begins anew, as every client of Kubernetes."""
    while True:
        try:
            async for event in client.watch(resource):
                yield event
        except Expired:
            continue


async def run_pods(client: Client) -> None:
    """Until cancelled: every pod that is bound succeeds."""
    async for event in watched(client, PODS):
        pod = event.object
        if event.type != "DELETED" and pod["spec"].get("nodeName") and pod["status"]["phase"] == "Pending":
            moment = timestamps.to_text(SystemClock().now())
            ended = {"exitCode": 0, "reason": "Completed", "startedAt": moment, "finishedAt": moment}
            state = {"name": "main", "image": "img:1", "imageID": "", "ready": False, "restartCount": 0}
            status = {"phase": "Succeeded", "containerStatuses": [state | {"state": {"terminated": ended}}]}
            name, namespace = objects.name_of(pod), objects.namespace_of(pod)
            await client.patch(
                PODS,
                name,
                {"status": status},
                namespace=namespace,
                patch_type=PatchType.STRATEGIC,
                subresource="status",
            )


async def all_complete(client: Client, count: int) -> None:
    done: set[str] = set()
    async for event in watched(client, JOB_SETS):
        if (event.object.get("status") or {}).get("terminalState") == "Completed":
            done.add(objects.uid_of(event.object))
        if len(done) == count:
            return


class Measured(NamedTuple):
    """From the first apply to the last Complete, in seconds."""

    wall: float
    cpu: float


async def measure(count: int) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "store.db")
        plane = ControlPlane(store, SystemClock(), random.Random(1), claims=Path(folder) / "claims", ca="CA")
        await bootstrap.bootstrap(plane.client)
        await make_nodes(plane.client)
        tasks = [asyncio.create_task(plane.run()), asyncio.create_task(run_pods(plane.client))]
        memory.settle()
        start, cpu = time.perf_counter(), time.process_time()
        finished = asyncio.create_task(all_complete(plane.client, count))
        for number in range(count):
            await plane.client.create(JOB_SETS, jobset(number), namespace=NAMESPACE)
        ended, _ = await asyncio.wait([finished, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            task.result()  # what has failed says so here
        measured = Measured(time.perf_counter() - start, time.process_time() - cpu)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await store.close()
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobsets", nargs="*", type=int, default=[25, 100, 500, 1250])
    for count in parser.parse_args().jobsets:
        wall, cpu = asyncio.run(measure(count))
        pods = count * PODS_EACH
        each = f"{1000 * wall / pods:.2f} ms a pod, of it {1000 * cpu / pods:.2f} ms CPU"
        print(f"{count} JobSets, {pods} pods: {wall:.2f} s, {each}", flush=True)


if __name__ == "__main__":
    main()
