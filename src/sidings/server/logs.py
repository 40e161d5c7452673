"""``GET pods/NAME/log``: which container, which lines.

Resolution of the container and the texts of refusals are those of kube-apiserver v1.36 (``LogLocation`` in
``pkg/registry/core/pod/strategy.go``, ``ValidatePodLogOptions`` in ``pkg/apis/core/validation``); the bytes come from
whoever runs the pod.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

from sidings.api import timestamps
from sidings.api.fields import FieldError, forbidden, invalid, to_invalid
from sidings.api.objects import Object, name_of
from sidings.api.pods import LogOptions, PodAccess
from sidings.api.status import BadRequest
from sidings.server.queries import Query
from sidings.server.responses import TEXT, Response, Stream

FIRST_BYTES_SECONDS = 0.5
"""How long an answer waits for the log's first bytes, so that a refusal can still be an error answer."""


def options(query: Query, pod: Object, now: datetime) -> LogOptions:
    """``PodLogOptions`` of the query, checked, with the container resolved. Raises Invalid and BadRequest."""
    tail, limit, seconds = query.integer("tailLines"), query.integer("limitBytes"), query.integer("sinceSeconds")
    since_time = query.text("sinceTime")
    errors: list[FieldError] = []
    if tail is not None and tail < 0:
        errors.append(invalid("tailLines", tail, "must be greater than or equal to 0"))
    if limit is not None and limit < 1:
        errors.append(invalid("limitBytes", limit, "must be greater than 0"))
    if seconds is not None and since_time:
        errors.append(forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"))
    elif seconds is not None and seconds < 1:
        errors.append(invalid("sinceSeconds", seconds, "must be greater than 0"))
    if errors:
        raise to_invalid("", "PodLogOptions", name_of(pod), errors)
    return LogOptions(
        container=container_of(pod, query.text("container")),
        follow=query.flag("follow"),
        previous=query.flag("previous"),
        since=now - timedelta(seconds=seconds) if seconds else _moment(since_time),
        timestamps=query.flag("timestamps"),
        tail_lines=tail,
        limit_bytes=limit,
    )


def container_of(pod: Object, wanted: str) -> str:
    """The container whose log is meant: the one named, or the only one there is."""
    spec = pod["spec"]
    names = [container["name"] for container in spec.get("containers") or ()]
    init_names = [container["name"] for container in spec.get("initContainers") or ()]
    ephemeral_names = [container["name"] for container in spec.get("ephemeralContainers") or ()]
    if wanted:
        if wanted not in (*names, *init_names, *ephemeral_names):
            raise BadRequest(f"container {wanted} is not valid for pod {name_of(pod)}")
        return wanted
    if len(names) == 1:
        return str(names[0])
    text = f"a container name must be specified for pod {name_of(pod)}"
    if names:
        text += f", choose one of: [{' '.join(names)}]"
    if init_names:
        text += f" or one of the init containers: [{' '.join(init_names)}]"
    if ephemeral_names:
        text += f" or one of the ephemeral containers: [{' '.join(ephemeral_names)}]"
    raise BadRequest(text)


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    try:
        return timestamps.from_text(text)
    except ValueError as error:
        raise BadRequest(f'parsing time "{text}": {error}') from error


async def answer(pods: PodAccess, pod: Object, query: Query, now: datetime) -> Response | Stream:
    """The log as plain text. A pod that is on no node yet has nothing to say: 204, as upstream."""
    chosen = options(query, pod, now)
    if not pod["spec"].get("nodeName"):
        return Response(204, b"", TEXT)
    chunks = aiter(pods.logs(pod, chosen))
    first = asyncio.ensure_future(anext(chunks, b""))
    try:
        await asyncio.wait([first], timeout=FIRST_BYTES_SECONDS)
    except BaseException:
        first.cancel()
        raise
    if first.done():
        first.result()
    return Stream(_after(first, chunks), TEXT)


async def _after(first: asyncio.Future[bytes], rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    try:
        if chunk := await first:
            yield chunk
        async for chunk in rest:
            yield chunk
    finally:
        first.cancel()
