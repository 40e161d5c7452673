"""The S3 server of ``up --s3``: a process of its own beside the engine, so that bytes of checkpoints slow no request.

It ends with the engine, whichever way that ends (its stdin does), and is started again when it ends by itself. Pods
reach it through the process that stays in the machine's network, which reads ``s3-server.json`` for each connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sidings.clock import Clock
from sidings.controllers.object_storage import BUCKET, REGION, Credentials
from sidings.host.errors import EngineFailed, OptionInvalid
from sidings.host.home import Home, read_json, write_json
from sidings.node.network import S3_PORT
from sidings.node.sandbox.outside import S3_FILE
from sidings.s3.buckets import INCOMING

log = logging.getLogger(__name__)

AGAIN_SECONDS = 1.0
START_SECONDS = 30.0


def credentials(home: Home) -> Credentials:
    """Those of this home, made at the first call."""
    known = read_json(home.s3_keys)
    if known is None:
        known = {"identifier": f"SIDINGS{secrets.token_hex(6).upper()}", "secret": secrets.token_urlsafe(30)}
        write_json(home.s3_keys, known)
    return Credentials(known["identifier"], known["secret"])


def folder(home: Home, chosen: str) -> Path:
    """What is served, with its first bucket. Raises ``OptionInvalid`` where it cannot be written."""
    path = Path(chosen) if chosen else home.s3
    try:
        (path / BUCKET).mkdir(parents=True, exist_ok=True)
        (path / INCOMING).mkdir(exist_ok=True)
    except OSError as error:
        raise OptionInvalid(
            f"--s3-folder {path} cannot be served", cause=error.strerror or str(error), remedy="sidings up --no-s3"
        ) from error
    return path


def from_here(home: Home) -> dict[str, str]:
    """What a client on this machine needs in its environment; nothing where nothing is served."""
    at = home.nodes / S3_FILE
    if not at.exists():
        return {}
    known, (address, port) = credentials(home), json.loads(at.read_text())
    return {
        "AWS_ENDPOINT_URL": f"http://{address}:{port}",
        "AWS_ACCESS_KEY_ID": known.identifier,
        "AWS_SECRET_ACCESS_KEY": known.secret,
        "AWS_DEFAULT_REGION": REGION,
    }


@asynccontextmanager
async def serving(home: Home, chosen: str, clock: Clock) -> AsyncIterator[None]:
    """The server runs inside of the block; it answers from the start."""
    server = _Server(home, folder(home, chosen), clock)
    await server.start()
    keeping = asyncio.create_task(server.keep(), name="object storage")
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])
        await server.stop()


class _Server:
    def __init__(self, home: Home, path: Path, clock: Clock) -> None:
        self._home, self._folder, self._clock = home, path, clock
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Raises ``EngineFailed`` where it ends, ``TimeoutError`` where it says nothing; its log says why."""
        known = credentials(self._home)
        told = {"port": S3_PORT, "identifier": known.identifier, "secret": known.secret}
        with self._home.s3_log.open("ab") as sink:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "sidings.s3", str(self._folder)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=sink,
                start_new_session=True,  # Ctrl-C is for the engine, which ends this one after the pods
            )
        assert self._process.stdin is not None and self._process.stdout is not None, "both are pipes"
        self._process.stdin.write(json.dumps(told).encode() + b"\n")
        async with asyncio.timeout(START_SECONDS):
            line = await self._process.stdout.readline()
        if not line:
            raise EngineFailed("the S3 server ended at its start", remedy=f"tail {self._home.s3_log}   (says why)")
        target = self._home.nodes / S3_FILE
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(["127.0.0.1", int(line)]))

    async def keep(self) -> None:
        """Start it again whenever it ends."""
        while True:
            assert self._process is not None, "it was started"
            code = await self._process.wait()
            log.warning("the S3 server ended (%d) and is started again; its log is %s", code, self._home.s3_log)
            await self._clock.sleep(AGAIN_SECONDS)
            with contextlib.suppress(EngineFailed, TimeoutError):
                await self.start()

    async def stop(self) -> None:
        (self._home.nodes / S3_FILE).unlink(missing_ok=True)
        if self._process is None or self._process.stdin is None:
            return
        self._process.stdin.close()
        await self._process.wait()
