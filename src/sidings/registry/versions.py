"""resourceVersions as clients send them: decimal numbers of the past, the present or a future yet to come."""

from __future__ import annotations

from sidings.api import fields
from sidings.api.status import Cause, Timeout

TOO_LARGE = "Too large resource version"


def parse(text: str) -> int:
    """0 for ``""``. Raises ``ValueError`` with kube-apiserver's message."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit()):
        detail = f'strconv.ParseUint: parsing "{text}": invalid syntax'
        raise ValueError(str(fields.invalid("resourceVersion", text, detail)))
    return int(text)


def must_be_reached(wanted: int, current: int) -> None:
    """Raises ``Timeout`` where ``wanted`` is of the future. (kube-apiserver waits three seconds for it first.)"""
    if wanted > current:
        raise Timeout(
            f"Timeout: {TOO_LARGE}: {wanted}, current: {current}",
            causes=[Cause("ResourceVersionTooLarge", TOO_LARGE)],
            retry_after_seconds=1,
        )
