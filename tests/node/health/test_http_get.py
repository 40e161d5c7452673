from __future__ import annotations

import asyncio

import pytest

from sidings.node.health import http_get
from tests.node.health.places import closed_port, place, serving


class Site:
    """Answers by path; keeps the requests."""

    def __init__(self, **answers: str) -> None:
        self._answers = answers
        self.requests: list[str] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.requests.append(request)
        path = request.split()[1].partition("?")[0].removeprefix("/") or "root"
        writer.write(f"HTTP/1.1 {self._answers[path]}\r\n\r\n".encode())
        await writer.drain()


@pytest.mark.parametrize(("status", "well"), [("200 OK", True), ("204 No", True), ("399 X", True), ("404 No", False)])
async def test_the_status_decides(status: str, well: bool) -> None:
    async with serving(Site(root=status)) as port:
        answer = await http_get.check({"port": port}, place(), 5)
    message = "" if well else f"HTTP probe failed with statuscode: {status[:3]}"
    assert (answer.well, answer.message) == (well, message)


async def test_the_request_is_kubelets_with_the_headers_of_the_manifest() -> None:
    site = Site(healthz="200 OK")
    headers = [{"name": "Host", "value": "inference.test"}, {"name": "X-Token", "value": "1"}]
    async with serving(site) as port:
        await http_get.check({"port": "web", "path": "healthz?full=1", "httpHeaders": headers}, place(web=port), 5)
    lines = site.requests[0].splitlines()
    assert lines[0] == "GET /healthz?full=1 HTTP/1.1"
    assert "User-Agent: kube-probe/1.36" in lines and "X-Token: 1" in lines
    assert [line for line in lines if line.lower().startswith("host:")] == ["Host: inference.test"]


async def test_a_redirect_on_the_same_host_is_followed_and_one_to_elsewhere_counts_as_well() -> None:
    site = Site(root="302 Found\r\nLocation: /sick", sick="500 Oops", away="302 F\r\nLocation: http://elsewhere.test/")
    async with serving(site) as port:
        assert not (await http_get.check({"port": port}, place(), 5)).well
        assert (await http_get.check({"port": port, "path": "/away"}, place(), 5)).well


async def test_nobody_there() -> None:
    port = closed_port()
    answer = await http_get.check({"port": port, "path": "/x"}, place(), 5)
    where = f"127.0.0.1:{port}"
    assert answer.message == f'Get "http://{where}/x": dial tcp {where}: connect: connection refused'


async def test_too_slow() -> None:
    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with serving(never) as port:
        answer = await http_get.check({"port": port}, place(), 0.05)
    assert not answer.well and "context deadline exceeded" in answer.message


@pytest.mark.parametrize(("said", "text"), [(b"", "EOF"), (b"SSH-2.0\r\n\r\n", "malformed HTTP response")])
async def test_not_http(said: bytes, text: str) -> None:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)

    async with serving(speak) as port:
        answer = await http_get.check({"port": port}, place(), 5)
    assert not answer.well and text in answer.message


async def test_an_unknown_port_name_is_no_question() -> None:
    with pytest.raises(ValueError, match="couldn't find port web of container c"):
        await http_get.check({"port": "web"}, place(), 5)
