"""Our own client against a real server on a TLS socket."""

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sidings.api.objects import Object, name_of
from sidings.api.pods import LogOptions
from sidings.api.resources import CONFIG_MAPS, JOB_SETS, PODS
from sidings.api.status import AlreadyExists, Conflict, NotFound, Unauthorized
from sidings.client.apply import Outcome, apply
from sidings.client.discovery import all_resources, resource_for
from sidings.client.errors import ServerUnreachable, ServerUntrusted
from sidings.client.http import HttpClient
from sidings.client.interface import PatchType
from sidings.server import pki
from sidings.server.serve import CLOSE_SECONDS, ApiServer, bind
from tests.server.conftest import Served


def config_map(name: str = "a", **data: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}, "data": data}


async def test_every_verb(served: Served) -> None:
    client = served.client
    created = await client.create(CONFIG_MAPS, config_map(k="1"))
    assert await client.get(CONFIG_MAPS, "a", "default") == created
    with pytest.raises(AlreadyExists):
        await client.create(CONFIG_MAPS, config_map())
    page = await client.list(CONFIG_MAPS, "default", field_selector="metadata.name=a")
    assert page.items == [created]
    patched = await client.patch(CONFIG_MAPS, "a", {"data": {"k": "2"}}, namespace="default")
    with pytest.raises(Conflict):
        await client.update(CONFIG_MAPS, created)
    updated = await client.update(CONFIG_MAPS, {**patched, "data": {"k": "3"}})
    applied = await client.patch(
        CONFIG_MAPS,
        "a",
        config_map(k="4"),
        namespace="default",
        patch_type=PatchType.APPLY,
        field_manager="m",
        force=True,
    )
    assert [o["data"]["k"] for o in (patched, updated, applied)] == ["2", "3", "4"]
    await client.delete(CONFIG_MAPS, "a", "default", uid=created["metadata"]["uid"])
    with pytest.raises(NotFound):
        await client.get(CONFIG_MAPS, "a", "default")


async def test_apply(served: Served) -> None:
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "1"}}
    assert await resource_for(served.client, "v1", "ConfigMap") == CONFIG_MAPS
    for data, outcome in (("1", Outcome.CREATED), ("1", Outcome.UNCHANGED), ("2", Outcome.CONFIGURED)):
        applied = await apply(served.client, CONFIG_MAPS, {**manifest, "data": {"k": data}}, namespace="default")
        assert applied.outcome is outcome


async def test_discovery(served: Served) -> None:
    found = {item.resource: item for item in await all_resources(served.client)}
    assert found[PODS].short_names == ("po",)
    assert JOB_SETS in found


async def test_a_watch_sees_changes_and_ends_with_the_server(served: Served) -> None:
    seen: list[tuple[str, str]] = []
    first = asyncio.Event()

    async def watch() -> None:
        async for event in served.client.watch(CONFIG_MAPS, "default"):
            seen.append((event.type, name_of(event.object)))
            first.set()

    watching = asyncio.create_task(watch())
    await served.client.create(CONFIG_MAPS, config_map("b"))
    async with asyncio.timeout(60):
        await first.wait()
        began = time.monotonic()
        served.server.close()
        await watching
    assert seen == [("ADDED", "b")]
    assert time.monotonic() - began < CLOSE_SECONDS, "it did not wait for the watch"


async def test_logs(served: Served) -> None:
    client = served.client
    pod = {"metadata": {"name": "p", "namespace": "default"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    await client.create(PODS, pod)
    node = {"kind": "Binding", "metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
    await client.create(PODS, node, namespace="default", name="p", subresource="binding")
    served.pods.lines["p"] = {"c": [b"one\n", b"two\n"]}
    assert b"".join([chunk async for chunk in client.logs("p", "default", LogOptions("c"))]) == b"one\ntwo\n"


async def test_a_wrong_token(served: Served) -> None:
    async with HttpClient(replace(served.client.config, token="wrong")) as client:
        with pytest.raises(Unauthorized):
            await client.get(CONFIG_MAPS, "a", "default")


async def test_a_certificate_of_somebody_else(served: Served) -> None:
    other = pki.new_authority(datetime.now(UTC)).certificate_pem()
    async with HttpClient(replace(served.client.config, certificate_authority=other)) as client:
        with pytest.raises(ServerUntrusted):
            await client.get(CONFIG_MAPS, "a", "default")


async def test_after_the_end_nobody_answers(served: Served) -> None:
    served.server.close()
    async with asyncio.timeout(60):
        while True:
            try:
                await served.client.get(CONFIG_MAPS, "a", "default")
            except NotFound:
                await asyncio.sleep(0)
            except ServerUnreachable:
                break


async def test_a_server_that_is_cancelled_leaves_its_port(served: Served, tmp_path: Path) -> None:
    identity = pki.ensure(tmp_path / "pki", datetime.now(UTC))
    server = ApiServer(served.app, bind("127.0.0.1", 0), identity.certificate_file, identity.key_file)
    serving = asyncio.create_task(server.serve())
    async with HttpClient(replace(served.client.config, server=server.url)) as client:
        await client.list(CONFIG_MAPS, "default")
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    bind("127.0.0.1", server.port).close()


async def test_a_port_that_is_taken(served: Served) -> None:
    with pytest.raises(OSError, match="in use"):
        bind("127.0.0.1", served.server.port)
