"""The image of pause containers: one program that waits, 130 bytes of machine code made here.

Nothing has to be pulled, and no file has to be shipped for each kind of machine.
"""

from __future__ import annotations

import asyncio
import io
import os
import struct
import tarfile

from sidings.node.container_engine.complaint import complaint
from sidings.node.container_engine.engine import ContainerEngine
from sidings.node.container_engine.pause import IMAGE
from sidings.node.errors import EngineUnavailable

_WAIT = {
    # mov eax, 34 (pause); syscall; jmp to the first
    "x86_64": (62, bytes.fromhex("b822000000 0f05 ebf7")),
    # x0 to x4 = 0; x8 = 73 (ppoll); svc 0; b to the first
    "aarch64": (
        183,
        b"".join(
            word.to_bytes(4, "little")
            for word in (0xD2800000, 0xD2800001, 0xD2800002, 0xD2800003, 0xD2800004, 0xD2800928, 0xD4000001, 0x17FFFFF9)
        ),
    ),
}
"""ELF's number of a machine, and a loop of the one system call that waits for a signal."""
_ADDRESS = 0x400000
_HEADERS = 64 + 56


def executable(machine: str) -> bytes:
    """A static ELF program that waits for ever. Raises ``KeyError`` for a machine whose code is not known."""
    number, code = _WAIT[machine]
    size = _HEADERS + len(code)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = struct.pack("<HHIQQQIHHHHHH", 2, number, 1, _ADDRESS + _HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, _ADDRESS, _ADDRESS, size, size, 0x1000)
    return ident + header + segment + code


def archive(machine: str) -> bytes:
    """The image's root file system, to be imported."""
    content = executable(machine)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        entry = tarfile.TarInfo("pause")
        entry.mode, entry.size = 0o755, len(content)
        tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


async def ensure(engine: ContainerEngine) -> None:
    """Raises ``EngineUnavailable`` where the engine refuses it, or this machine's code is not known."""
    code, _ = await _ask(engine, "image", "inspect", IMAGE)
    if code == 0:
        return
    try:
        content = archive(os.uname().machine)
    except KeyError as error:
        raise EngineUnavailable(
            f"{engine.name} cannot be used on {error.args[0]}",
            cause="there is no pause program for this machine",
            remedy="sidings up --runtime podman",
        ) from error
    code, said = await _ask(engine, "import", "--change", 'ENTRYPOINT ["/pause"]', "-", IMAGE, content=content)
    if code:
        raise EngineUnavailable(
            f"{engine.name} refuses the image of pause containers", cause=complaint(said), remedy=f"{engine.name} info"
        )


async def _ask(engine: ContainerEngine, *words: str, content: bytes = b"") -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *engine.command(*words),
        env=dict(engine.environment),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate(content)
    assert process.returncode is not None
    return process.returncode, said.decode(errors="replace")
