"""How much of a body is taken that nobody wants."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import pytest

from sidings.s3.exchange import Exchange

SCOPE = {"method": "PUT", "raw_path": b"/data/x", "query_string": b"", "headers": []}
LEFT = {"type": "http.disconnect"}


def exchange(*pieces: bytes, ended: bool = True) -> Exchange:
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    messages[-1]["more_body"] = not ended

    async def receive() -> MutableMapping[str, Any]:
        return messages.pop(0) if messages else LEFT

    async def send(message: MutableMapping[str, Any]) -> None:
        raise AssertionError(message)

    return Exchange(SCOPE, receive, send)


@pytest.mark.parametrize(("most", "all_of_it"), [(12, True), (7, False), (0, False)])
async def test_as_much_as_is_allowed(most: int, all_of_it: bool) -> None:
    assert await exchange(b"1234", b"5678", b"90ab").drained(most) == all_of_it


async def test_what_was_read_is_not_waited_for_again() -> None:
    one = exchange(b"1234", b"5678")
    assert [data async for data in one.body()] == [b"1234", b"5678"]
    assert await one.drained(0)


async def test_a_client_that_leaves() -> None:
    assert not await exchange(b"1234", ended=False).drained(100)
