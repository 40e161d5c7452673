"""Connections into a pod, and their failures in the words of Go's ``net`` package, which are kubelet's."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sidings.node.health.place import Reach


class DialFailed(Exception):
    """No connection; the text is ``dial tcp 10.244.1.2:80: connect: connection refused``."""


@asynccontextmanager
async def dial(
    reach: Reach, host: str, port: int, *, tls: bool = False
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection from inside the pod's network; with ``tls`` the certificate is not verified, as kubelet's probes."""
    connecting = await reach.new_socket()
    try:
        await asyncio.get_running_loop().sock_connect(connecting, reach.placed(host, port))
        reader, writer = await asyncio.open_connection(
            sock=connecting, ssl=_any_certificate() if tls else None, server_hostname=host if tls else None
        )
    except OSError as error:
        connecting.close()
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        raise DialFailed(f"dial tcp {host}:{port}: connect: {reason}") from error
    except BaseException:
        connecting.close()
        raise
    try:
        yield reader, writer
    finally:
        # Not closed politely: half a second of TLS farewell is no part of the answer.
        writer.transport.abort()


def _any_certificate() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
