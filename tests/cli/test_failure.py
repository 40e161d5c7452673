"""The first failure is kept with its log, also when its pod is gone before the job ends."""

import random
from collections.abc import AsyncIterator

from sidings.answers.family import Family, families
from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.pods import LogOptions
from sidings.api.resources import NAMESPACES, PODS
from sidings.cli.failure import FirstFailure
from sidings.client.local import LocalClient
from sidings.clock import ManualClock
from sidings.registry.registry import Registry
from sidings.store.store import Store
from tests.answers.objects import ended, job, job_set, pod, train_job
from tests.cli.consoles import console


class Logs:
    """Pods whose log is one line a life."""

    async def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        life = "former" if options.previous else "present"
        yield f"{life} life of {pod['metadata']['name']}\n".encode()


def family(*pods: Object) -> Family:
    tj = train_job()
    js = job_set(tj)
    [found] = families(train_jobs=[tj], job_sets=[js], jobs=[job(js)], pods=pods)
    return found


async def client_with(one: Object) -> LocalClient:
    registry = Registry(Store.in_memory(), catalog.builtin(), ManualClock(), random.Random(1))
    client = LocalClient(registry, Logs())
    metadata = one["metadata"]
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": metadata["namespace"]}}
    await client.create(NAMESPACES, namespace)
    spec = {"containers": [{"name": "node", "image": "i"}]}
    identity = {"name": metadata["name"], "namespace": metadata["namespace"]}
    await client.create(PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": identity, "spec": spec})
    return client


async def test_the_log_is_kept_when_the_pod_goes() -> None:
    failed = pod(job(job_set(train_job())), 1, "Failed", node="n", containers=[ended(3)])
    client = await client_with(failed)
    first = FirstFailure(client)
    await first.see(family())
    assert first.lines(console()) == []
    await first.see(family(failed))
    await client.delete(PODS, failed["metadata"]["name"], failed["metadata"]["namespace"], grace_period_seconds=0)
    await first.see(family())
    said, *tail = first.lines(console())
    assert "first to fail: node-0-1 exited with 3 (Error) on n" in said
    assert tail == [f"  | present life of {failed['metadata']['name']}"]


async def test_without_a_log_the_failure_is_still_told() -> None:
    failed = pod(job(job_set(train_job())), 0, "Failed", node="n", containers=[ended(1)])
    client = await client_with(pod(job(job_set(train_job())), 1))
    first = FirstFailure(client)
    await first.see(family(failed))
    assert len(first.lines(console())) == 1
