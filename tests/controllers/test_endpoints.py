"""Which addresses stand behind a Service."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from sidings.api.catalog import builtin
from sidings.api.objects import Object, name_of
from sidings.api.resources import ENDPOINTS, PODS, SERVICES, Resource
from sidings.api.status import Expired, NotFound
from sidings.client.interface import Client, WatchEvent
from sidings.client.local import LocalClient
from sidings.clock import LoopClock, ManualClock
from sidings.controllers.endpoints import EndpointsController, subsets
from sidings.host.control_plane import ControlPlane
from sidings.registry.registry import Registry
from sidings.store.store import Store
from tests.controllers.pods import pod

Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]
HEADLESS: Object = {
    "metadata": {"name": "js", "namespace": "default"},
    "spec": {"clusterIP": "None", "selector": {"app": "x"}, "publishNotReadyAddresses": True},
}


def member(name: str, ip: str, *, ready: bool, labels: dict[str, str] | None = None, **spec: str) -> Object:
    made = pod(name, node="n", phase="Running", **spec)
    made["metadata"]["labels"] = {"app": "x"} if labels is None else labels
    made["status"] |= {"podIP": ip, "conditions": [{"type": "Ready", "status": str(ready)}]}
    return made


def ips(found: list[Object], key: str) -> list[str]:
    return [address["ip"] for address in found[0].get(key, [])]


def test_ready_and_not_ready_are_told_apart_unless_published() -> None:
    pods = [member("a", "10.0.0.2", ready=True), member("b", "10.0.0.1", ready=False)]
    strict = {**HEADLESS, "spec": {**HEADLESS["spec"], "publishNotReadyAddresses": False}}
    assert ips(subsets(strict, pods), "addresses") == ["10.0.0.2"]
    assert ips(subsets(strict, pods), "notReadyAddresses") == ["10.0.0.1"]
    assert ips(subsets(HEADLESS, pods), "addresses") == ["10.0.0.1", "10.0.0.2"]


def test_others_and_the_finished_are_left_out() -> None:
    finished = member("done", "10.0.0.3", ready=False)
    finished["status"]["phase"] = "Succeeded"
    assert subsets(HEADLESS, [member("other", "10.0.0.4", ready=True, labels={"app": "y"}), finished]) == []


def test_a_pod_of_the_subdomain_has_its_host_name() -> None:
    found = subsets(HEADLESS, [member("a", "10.0.0.2", ready=True, hostname="js-a-0", subdomain="js")])
    assert found[0]["addresses"][0]["hostname"] == "js-a-0"


def test_a_named_port_is_looked_up_in_each_pod() -> None:
    named = {**HEADLESS, "spec": {**HEADLESS["spec"], "ports": [{"port": 80, "targetPort": "web"}]}}
    pods = [
        member("a", "10.0.0.2", ready=True),
        member("b", "10.0.0.3", ready=True),
        member("c", "10.0.0.4", ready=True),
    ]
    for one, number in zip(pods, (1, 2), strict=False):
        one["spec"]["containers"] = [{"name": "c", "ports": [{"name": "web", "containerPort": number}]}]
    found = subsets(named, pods)
    assert [(ips([one], "addresses"), one["ports"]) for one in found] == [
        (["10.0.0.2"], [{"port": 1}]),
        (["10.0.0.3"], [{"port": 2}]),
    ]


def test_ports_carry_the_target() -> None:
    ported = {**HEADLESS, "spec": {**HEADLESS["spec"], "ports": [{"name": "web", "port": 80, "targetPort": 8080}]}}
    assert subsets(ported, [member("a", "10.0.0.2", ready=True)])[0]["ports"] == [{"name": "web", "port": 8080}]


@pytest.mark.looptime
async def test_endpoints_follow_their_service(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    await client.create(SERVICES, {"apiVersion": "v1", "kind": "Service", **HEADLESS})
    made = pod("a", nodeName="nowhere")
    metadata = {"name": "a", "namespace": "default", "labels": {"app": "x"}}
    await client.create(PODS, {**made, "metadata": metadata, "status": {}})
    status = {"podIP": "10.0.0.9", "phase": "Running"}
    await client.patch(PODS, "a", {"status": status}, namespace="default", subresource="status")

    async def listed() -> bool:
        try:
            live = await client.get(ENDPOINTS, "js", "default")
        except NotFound:
            return False
        return bool(live.get("subsets")) and ips(live["subsets"], "addresses") == ["10.0.0.9"]

    await until(listed)
    await client.delete(SERVICES, "js", "default")

    async def gone() -> bool:
        try:
            await client.get(ENDPOINTS, "js", "default")
        except NotFound:
            return True
        return False

    await until(gone)


class Deaf:
    """A client whose watch of Services tells nothing for a while, and then that it has missed something."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.deaf = False
        self.breaks = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    async def watch(self, resource: Resource, namespace: str = "", **options: Any) -> AsyncIterator[WatchEvent]:
        async for event in self.client.watch(resource, namespace, **options):
            if resource == SERVICES and self.deaf:
                await self.breaks.wait()
                self.deaf = False
                raise Expired("the watch fell behind")
            yield event


@asynccontextmanager
async def running(client: Client) -> AsyncIterator[None]:
    controller = asyncio.create_task(EndpointsController(client, LoopClock(), Random(1)).run())
    yield
    controller.cancel()
    await asyncio.wait([controller])


async def names(client: Client) -> list[str]:
    await asyncio.sleep(1)
    return [name_of(endpoints) for endpoints in (await client.list(ENDPOINTS, "default")).items]


def in_memory() -> LocalClient:
    return LocalClient(Registry(Store.in_memory(), builtin(), LoopClock(), Random(1)))


@pytest.mark.looptime
async def test_a_service_that_went_while_the_watch_was_broken_leaves_nothing() -> None:
    client = in_memory()
    deaf = Deaf(client)
    async with running(deaf):  # type: ignore[arg-type]
        await client.create(SERVICES, {"apiVersion": "v1", "kind": "Service", **HEADLESS})
        assert await names(client) == ["js"]
        deaf.deaf = True
        await client.delete(SERVICES, "js", "default")
        assert await names(client) == ["js"]
        deaf.breaks.set()
        assert await names(client) == []


@pytest.mark.looptime
async def test_a_service_that_went_while_nobody_ran_leaves_only_what_a_user_made() -> None:
    client = in_memory()
    async with running(client):
        await client.create(SERVICES, {"apiVersion": "v1", "kind": "Service", **HEADLESS})
        assert await names(client) == ["js"]
    by_hand = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "mine", "namespace": "default"}}
    await client.create(ENDPOINTS, by_hand, field_manager="kubectl")
    await client.delete(SERVICES, "js", "default")
    assert await names(client) == ["js", "mine"]
    async with running(client):
        assert await names(client) == ["mine"]


def test_a_pod_concerns_the_services_that_select_it_or_did() -> None:
    clock = ManualClock()
    client = LocalClient(Registry(Store.in_memory(), builtin(), clock, Random(1)))
    controller = EndpointsController(client, clock, Random(1))
    for name, selector in (("a", {"app": "x"}), ("b", {"app": "y"}), ("none", {})):
        list(controller.keys({"metadata": {"name": name, "namespace": "ns"}, "spec": {"selector": selector}}))
    services_of = controller.watched()[PODS]
    pod = {"metadata": {"name": "p", "namespace": "ns", "uid": "u", "labels": {"app": "x"}}, "spec": {}}
    assert [key.name for key in services_of(pod)] == ["a"]
    relabelled = {**pod, "metadata": {**pod["metadata"], "labels": {"app": "y"}}}
    assert [key.name for key in services_of(relabelled)] == ["a", "b"]
    assert [key.name for key in services_of(relabelled)] == ["b"]
