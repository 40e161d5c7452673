"""``httpGet``: well with a status from 200 to 399 (kubelet's ``pkg/probe/http``).

A redirect to the same host is followed; one to another host is the end of the question and counts as well. Bodies are
not read: no verdict depends on them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, urljoin, urlsplit

from sidings.api.objects import Object
from sidings.node.health.answer import Answer
from sidings.node.health.dialing import DialFailed, dial
from sidings.node.health.place import Place

_REDIRECTS = (301, 302, 303, 307, 308)
_MAX_REDIRECTS = 10
_HEADERS = {"User-Agent": "kube-probe/1.36", "Accept": "*/*", "Connection": "close"}


class _Response(NamedTuple):
    status: int
    location: str


async def check(action: Object, place: Place, seconds: float) -> Answer:
    """GET within ``seconds``. Raises ``ValueError`` for a port that the container does not name."""
    status = await _asked(action, place, seconds)
    if isinstance(status, Answer):
        return status
    return Answer(True) if 200 <= status < 400 else Answer(False, f"HTTP probe failed with statuscode: {status}")


async def reach(action: Object, place: Place, seconds: float) -> Answer:
    """As ``check``, but an answer of any status will do: all that a hook asks for."""
    status = await _asked(action, place, seconds)
    return status if isinstance(status, Answer) else Answer(True)


async def _asked(action: Object, place: Place, seconds: float) -> int | Answer:
    """The status, or why there is none."""
    scheme = str(action.get("scheme") or "HTTP").lower()
    path = "/" + str(action.get("path") or "/").removeprefix("/")
    url = f"{scheme}://{action.get('host') or place.address}:{place.port(action['port'])}{path}"
    try:
        async with asyncio.timeout(seconds):
            return await _status(url, action, place)
    except TimeoutError:
        what = f'Get "{url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
        return Answer(False, what)
    except DialFailed as error:
        return Answer(False, f'Get "{url}": {error}')
    except (asyncio.IncompleteReadError, ConnectionError):
        return Answer(False, f'Get "{url}": EOF')
    except (ValueError, asyncio.LimitOverrunError):
        return Answer(False, f'Get "{url}": net/http: HTTP/1.x transport connection broken: malformed HTTP response')


async def _status(url: str, action: Object, place: Place) -> int:
    """The status that the redirects lead to."""
    host = urlsplit(url).hostname
    response = await _get(urlsplit(url), action, place)
    for _ in range(_MAX_REDIRECTS):
        if response.status not in _REDIRECTS or not response.location:
            break
        url = urljoin(url, response.location)
        if urlsplit(url).hostname != host:
            break
        response = await _get(urlsplit(url), action, place)
    return response.status


async def _get(url: SplitResult, action: Object, place: Place) -> _Response:
    tls = url.scheme == "https"
    port = url.port or (443 if tls else 80)
    async with dial(place.reach, url.hostname or place.address, port, tls=tls) as (reader, writer):
        writer.write(_request(url, _stated_headers(action)))
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    version, _, rest = head[0].partition(" ")
    if not version.startswith("HTTP/"):
        raise ValueError("not an HTTP response")
    fields = (line.partition(":") for line in head[1:])
    location = next((value.strip() for name, _, value in fields if name.lower() == "location"), "")
    return _Response(int(rest[:3]), location)


def _stated_headers(action: Object) -> dict[str, str]:
    return {header["name"]: header.get("value") or "" for header in action.get("httpHeaders") or ()}


def _request(url: SplitResult, stated: Mapping[str, str]) -> bytes:
    given = {name.lower() for name in stated}
    headers = {"Host": url.netloc, **_HEADERS}
    lines = [f"{name}: {value}" for name, value in headers.items() if name.lower() not in given]
    lines += [f"{name}: {value}" for name, value in stated.items()]
    target = (url.path or "/") + (f"?{url.query}" if url.query else "")
    return "\r\n".join((f"GET {target} HTTP/1.1", *lines, "", "")).encode()
