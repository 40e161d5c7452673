import asyncio
import json
from typing import Any

import pytest

from sidings.api.pods import LogOptions
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, JOBS, PODS
from sidings.api.status import Conflict, Expired, InternalError, NotFound
from sidings.client.errors import ServerUnreachable
from sidings.client.http import CONNECTIONS, HttpClient
from sidings.client.interface import ObjectList, PatchType, WatchEvent
from sidings.client.kubeconfig import ClientConfig
from tests.client.conftest import Call, Scripted


def answer(body: Any, status: str = "200 OK") -> bytes:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(raw)}\r\n\r\n".encode() + raw


def chunked(*chunks: bytes, end: bool = True) -> bytes:
    body = b"".join(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n" for chunk in chunks)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body + (b"0\r\n\r\n" if end else b"")


POD: dict[str, Any] = {"metadata": {"name": "p", "namespace": "n", "uid": "u"}}


@pytest.mark.parametrize(
    ("call", "line", "body"),
    [
        (lambda c: c.get(PODS, "p", "n"), "GET /base/api/v1/namespaces/n/pods/p", None),
        (
            lambda c: c.get(CLUSTER_TRAINING_RUNTIMES, "r"),
            "GET /base/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes/r",
            None,
        ),
        (lambda c: c.create(PODS, POD), "POST /base/api/v1/namespaces/n/pods", POD),
        (
            lambda c: c.create(PODS, POD, namespace="m", dry_run=True),
            "POST /base/api/v1/namespaces/m/pods?dryRun=All",
            POD,
        ),
        (
            lambda c: c.create(PODS, {}, namespace="n", name="p", subresource="binding"),
            "POST /base/api/v1/namespaces/n/pods/p/binding",
            {},
        ),
        (
            lambda c: c.update(PODS, POD, subresource="status", field_manager="m"),
            "PUT /base/api/v1/namespaces/n/pods/p/status?fieldManager=m",
            POD,
        ),
        (
            lambda c: c.patch(JOBS, "j", {"a": 1}, namespace="n", field_manager="m", force=True),
            "PATCH /base/apis/batch/v1/namespaces/n/jobs/j?fieldManager=m&force=true",
            {"a": 1},
        ),
        (
            lambda c: c.delete(PODS, "p", "n", grace_period_seconds=0, uid="u", propagation_policy="Foreground"),
            "DELETE /base/api/v1/namespaces/n/pods/p",
            {
                "apiVersion": "v1",
                "kind": "DeleteOptions",
                "gracePeriodSeconds": 0,
                "propagationPolicy": "Foreground",
                "preconditions": {"uid": "u"},
            },
        ),
    ],
)  # fmt: skip
async def test_what_goes_over_the_wire(scripted: Scripted, call: Call, line: str, body: Any) -> None:
    server, client = scripted
    server.answers = [answer({"ok": True})]
    assert await call(client) == {"ok": True}
    assert server.last_line == f"{line} HTTP/1.1"
    assert server.bodies[-1] == (b"" if body is None else json.dumps(body).encode())


async def test_patch_types_are_content_types(scripted: Scripted) -> None:
    server, client = scripted
    server.answers = [answer({})]
    await client.patch(PODS, "p", [], namespace="n", patch_type=PatchType.JSON)
    assert "Content-Type: application/json-patch+json" in server.heads[0]


async def test_warnings_about_what_is_written_are_told(scripted: Scripted) -> None:
    server, silent = scripted
    warning = b'HTTP/1.1 200 OK\r\nWarning: 299 - "a"\r\nWarning: 299 - "b"\r\nContent-Length: 2\r\n\r\n{}'
    server.answers = [warning, warning, warning]
    told: list[str] = []
    async with HttpClient(silent.config, warn=told.append) as client:
        await client.create(PODS, POD, dry_run=True)
        await client.get(PODS, "p", "n")
    await silent.create(PODS, POD)
    assert told == ["a", "b"]


async def test_a_page(scripted: Scripted) -> None:
    server, client = scripted
    metadata = {"resourceVersion": "7", "continue": "next", "remainingItemCount": 3}
    server.answers = [answer({"metadata": metadata, "items": [{"metadata": {"name": "p"}}]})]
    page = await client.list(PODS, "n", label_selector="a in (b, c)", limit=1)
    item = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    assert page == ObjectList([item], "7", "next", 3)
    assert server.last_line == "GET /base/api/v1/namespaces/n/pods?labelSelector=a+in+%28b%2C+c%29&limit=1 HTTP/1.1"


async def test_dependents_are_picked_from_a_list(scripted: Scripted) -> None:
    server, client = scripted
    reference = {"kind": "Job", "name": "j", "controller": True}
    items = [{"metadata": {"name": "p", "ownerReferences": [reference]}}, {"metadata": {"name": "q"}}]
    server.answers = [answer({"items": items}), answer({"items": items})]
    of_job = await client.dependents(PODS, "n", owner_kind="Job", owner_name="j")
    assert [pod["metadata"]["name"] for pod in of_job] == ["p"]
    assert [pod["metadata"]["name"] for pod in await client.dependents(PODS, "n")] == ["q"]


async def test_one_connection_serves_many_requests(scripted: Scripted) -> None:
    server, client = scripted
    server.answers = [answer({}), chunked(b"{", b"}"), answer({}), answer({}, "404 Not Found"), answer({})]
    for _ in range(3):
        await client.get(PODS, "p", "n")
    with pytest.raises(NotFound):
        await client.get(PODS, "p", "n")
    await client.get(PODS, "p", "n")
    assert server.connections == 1


async def test_requests_at_once_take_turns_on_a_few_connections(scripted: Scripted) -> None:
    server, client = scripted
    server.by_path = {f"/base/api/v1/namespaces/n/pods/p{i}": answer({"i": i}) for i in range(40)}
    found = await asyncio.gather(*(client.get(PODS, f"p{i}", "n") for i in range(40)))
    assert [each["i"] for each in found] == list(range(40))
    assert server.connections == CONNECTIONS


async def test_streams_take_no_turn(scripted: Scripted) -> None:
    server, client = scripted
    event = json.dumps({"type": "ADDED", "object": POD}).encode() + b"\n"
    server.answers = [chunked(event, end=False) for _ in range(CONNECTIONS)]
    watches = [client.watch(PODS, "n") for _ in range(CONNECTIONS)]
    for watch in watches:
        await anext(watch)
    server.answers = [answer({"ok": True})]
    assert await client.get(PODS, "p", "n") == {"ok": True}
    for watch in watches:
        await watch.aclose()  # type: ignore[attr-defined]


async def test_a_list_of_thousands_is_a_list_like_others(scripted: Scripted) -> None:
    server, client = scripted
    managed = [{"manager": "m", "fieldsV1": {"f:spec": {"f:x": "y" * 500}}}]
    items = [{"metadata": {"name": f"p{i}", "managedFields": managed}, "spec": {"x": i}} for i in range(5_000)]
    server.answers = [answer({"metadata": {"resourceVersion": "7"}, "items": items})]
    page = await client.list(PODS, "n")
    assert page.resource_version == "7"
    assert len(page.items) == 5_000
    item = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p4999"}, "spec": {"x": 4999}}
    assert page.items[-1] == item


async def test_a_read_on_a_connection_that_was_closed_meanwhile_is_sent_again(scripted: Scripted) -> None:
    server, client = scripted
    server.answers = [answer({}), None, answer({"again": 1})]
    await client.get(PODS, "p", "n")
    assert await client.get(PODS, "p", "n") == {"again": 1}


async def test_a_write_is_never_sent_twice(scripted: Scripted) -> None:
    server, client = scripted
    server.answers = [answer({}), None]
    await client.get(PODS, "p", "n")
    with pytest.raises(ServerUnreachable, match="before it answered"):
        await client.create(PODS, POD)


async def test_refusals_are_the_classes_of_the_api(scripted: Scripted) -> None:
    server, client = scripted
    status = {"kind": "Status", "reason": "Conflict", "message": "stale", "details": {"name": "p"}, "code": 409}
    server.answers = [answer(status, "409 Conflict"), answer(b"boom", "500 Internal Server Error")]
    with pytest.raises(Conflict, match="stale") as caught:
        await client.update(PODS, POD)
    assert caught.value.name == "p"
    with pytest.raises(InternalError, match="boom"):
        await client.get(PODS, "p", "n")


async def test_an_answer_that_is_not_json(scripted: Scripted) -> None:
    server, client = scripted
    server.answers = [answer(b"<html>")]
    with pytest.raises(ServerUnreachable) as caught:
        await client.get(PODS, "p", "n")
    assert "<html>" in caught.value.cause


@pytest.mark.parametrize("said", [b"SSH-2.0-OpenSSH\r\n", b"x" * 200_000])
async def test_somebody_who_does_not_speak_http(scripted: Scripted, said: bytes) -> None:
    server, client = scripted
    server.answers = [said]
    with pytest.raises(ServerUnreachable, match="does not speak HTTP"):
        await client.get(PODS, "p", "n")


async def test_a_name_that_nobody_has() -> None:
    async with HttpClient(ClientConfig("https://nobody.invalid:6443")) as client:
        with pytest.raises(ServerUnreachable) as caught:
            await client.get(PODS, "p", "n")
    assert "Unknown error" not in caught.value.cause


async def test_nobody_there() -> None:
    async with HttpClient(ClientConfig("https://127.0.0.1:1")) as client:
        with pytest.raises(ServerUnreachable) as caught:
            await client.get(PODS, "p", "n")
    assert caught.value.code == "SERVER_UNREACHABLE"
    assert caught.value.remedy == "sidings up"
    assert "refused" in caught.value.cause.lower()


def event(kind: str, obj: Any) -> bytes:
    return json.dumps({"type": kind, "object": obj}).encode() + b"\n"


async def test_a_watch(scripted: Scripted) -> None:
    server, client = scripted
    stream = event("ADDED", POD) + event("DELETED", POD)
    server.answers = [chunked(stream[:10], stream[10:])]
    events = [e async for e in client.watch(PODS, "n", resource_version="5", timeout_seconds=9, bookmarks=True)]
    assert events == [WatchEvent("ADDED", POD), WatchEvent("DELETED", POD)]
    assert server.last_line == (
        "GET /base/api/v1/namespaces/n/pods?watch=true&resourceVersion=5&timeoutSeconds=9"
        "&allowWatchBookmarks=true HTTP/1.1"
    )


async def test_an_error_event_is_raised(scripted: Scripted) -> None:
    server, client = scripted
    status = {"kind": "Status", "reason": "Expired", "message": "too old", "code": 410}
    server.answers = [chunked(event("ERROR", status))]
    with pytest.raises(Expired):
        [e async for e in client.watch(PODS)]


async def test_a_watch_that_breaks_is_no_end(scripted: Scripted) -> None:
    server, client = scripted
    server.answers = [chunked(event("ADDED", POD), end=False) + b"5\r\nab"]
    server.breaks_off = True
    watch = client.watch(PODS)
    assert (await anext(watch)).type == "ADDED"
    with pytest.raises(ServerUnreachable, match="broke while it answered"):
        await anext(watch)


async def test_a_cancelled_watch_hangs_up_at_once(scripted: Scripted) -> None:
    server, client = scripted
    server.answers = [chunked(event("ADDED", POD), end=False)]

    async def watch_for_ever(started: asyncio.Event) -> None:
        async for _ in client.watch(PODS):
            started.set()

    started = asyncio.Event()
    task = asyncio.create_task(watch_for_ever(started))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(60):
        await server.hung_up.wait()


async def test_logs(scripted: Scripted) -> None:
    server, client = scripted
    server.answers = [chunked(b"one\n", b"two\n")]
    options = LogOptions("main", follow=True, tail_lines=0, limit_bytes=9)
    assert [chunk async for chunk in client.logs("p", "n", options)] == [b"one\n", b"two\n"]
    assert server.last_line == (
        "GET /base/api/v1/namespaces/n/pods/p/log?container=main&follow=true&limitBytes=9&tailLines=0 HTTP/1.1"
    )
