"""A file over HTTP: streamed to disk, tried again where the network failed, and complete or not there at all."""

from __future__ import annotations

import http.client
import json
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from sidings.initializers.errors import InitializerError

T = TypeVar("T")

TIMEOUT_SECONDS = 30
ATTEMPTS = 3
PAUSE_SECONDS = 1.0
_SHOWN = 80
_REFUSALS = {401: "the server asks for a token", 403: "access is denied", 404: "there is no such thing"}


def inside(target: Path, path: str) -> Path:
    """``path`` under ``target``; a server must not make anybody write elsewhere."""
    place = (target / path).resolve()
    if not place.is_relative_to(target.resolve()):
        raise InitializerError(f"the server names the file {path}", cause=f"it would lie outside of {target}")
    return place


def file(url: str, headers: Mapping[str, str], target: Path, pause: Callable[[float], None] = time.sleep) -> int:
    """Fetch ``url`` to ``target``, unless it is there with its whole length; returns its size in bytes."""

    def attempt() -> int:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=dict(headers)), timeout=TIMEOUT_SECONDS
        ) as answer:
            size = int(answer.headers.get("Content-Length") or -1)
            if target.is_file() and target.stat().st_size == size:
                return size
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_name(target.name + ".part")
            with partial.open("wb") as out:
                shutil.copyfileobj(answer, out, 1 << 20)
            if size >= 0 and partial.stat().st_size != size:
                raise ConnectionError(f"{partial.stat().st_size} of {size} bytes came")
            partial.replace(target)
            return target.stat().st_size

    return _tried(url, attempt, pause)


def read(url: str, headers: Mapping[str, str], pause: Callable[[float], None] = time.sleep) -> bytes:
    """The whole answer of ``url``."""

    def attempt() -> bytes:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=dict(headers)), timeout=TIMEOUT_SECONDS
        ) as answer:
            body: bytes = answer.read()
            return body

    return _tried(url, attempt, pause)


def read_json(url: str, headers: Mapping[str, str], pause: Callable[[float], None] = time.sleep) -> Any:
    answer = read(url, headers, pause)
    try:
        return json.loads(answer)
    except ValueError as error:
        raise unreadable(url, answer) from error


def unreadable(url: str, answer: bytes) -> InitializerError:
    """Something else than a hub or an object store is at ``url``: a proxy's page, say."""
    begin = answer[:_SHOWN].decode(errors="replace").strip()
    return InitializerError(
        f"{url} does not answer as such a server does",
        cause=f"the answer begins with: {begin}",
        remedy="look at HF_ENDPOINT or ENDPOINT, and at the proxy between",
    )


def _tried(url: str, attempt: Callable[[], T], pause: Callable[[float], None]) -> T:
    """``attempt`` up to three times. A refusal is an answer, and is not asked again."""
    for number in range(1, ATTEMPTS + 1):
        try:
            return attempt()
        except urllib.error.HTTPError as error:
            if error.code < 500 or number == ATTEMPTS:
                raise InitializerError(
                    f"{url} answered {error.code} {error.reason}",
                    cause=_REFUSALS.get(error.code, ""),
                    remedy="a Secret with ACCESS_TOKEN or keys in secretRef of the initializer"
                    if error.code in (401, 403)
                    else "",
                ) from error
        except (OSError, http.client.HTTPException) as error:
            if number == ATTEMPTS:
                reason = getattr(error, "reason", error)
                raise InitializerError(
                    f"cannot reach {url}",
                    cause=str(reason),
                    remedy="without a network use a storageUri with file://, a folder of this machine",
                ) from error
        except ValueError as error:
            raise InitializerError(
                f"{url} is no address", cause=str(error), remedy="http:// or https:// before HF_ENDPOINT or ENDPOINT"
            ) from error
        pause(PAUSE_SECONDS * number)
    raise AssertionError("not reached")
