"""What a pod moves to and from a machine outside, next to what a program of this machine itself does to the same place.

    python benchmarks/outbound.py

The other machine is this one, at an address of its own that is not its loopback: a pod gets there as to any other. As
root also as an ordinary user.
"""

from __future__ import annotations

import asyncio
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.node import sandboxes
from tests.node.sandbox.test_outside import OWN

BYTES, RUNS = 1 << 30, 3
CLIENT = f"""import socket, sys, time
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as server:
    began, block = time.perf_counter(), bytes(1 << 20)
    if sys.argv[3] == "down":
        while server.recv(1 << 20): pass
    else:
        for _ in range({BYTES >> 20}): server.sendall(block)
        server.shutdown(socket.SHUT_WR)
        server.recv(1)
    print({BYTES} * 8e-9 / (time.perf_counter() - began))
"""


def serve(direction: str) -> int:
    """A server in threads that sends (``down``) or takes ``BYTES``; its port."""
    listener = socket.create_server((OWN[0], 0))

    def answer() -> None:
        while True:
            client, _ = listener.accept()
            with client:
                if direction == "down":
                    for _ in range(BYTES >> 20):
                        client.sendall(bytes(1 << 20))
                else:
                    while client.recv(1 << 20):
                        pass
                    client.sendall(b".")

    threading.Thread(target=answer, daemon=True).start()
    return int(listener.getsockname()[1])


def run_here(argv: tuple[str, ...]) -> float:
    return float(subprocess.run(argv, capture_output=True, check=True).stdout)


async def measure(kind: str, folder: Path) -> None:
    async for made in sandboxes.opened(folder / kind, kind):
        pod = await made.start_pod()
        for direction in ("down", "up"):
            argv = ("python3", "-c", CLIENT, OWN[0], str(serve(direction)), direction)
            outputs = [await made.output(pod, *argv, name=f"{direction}-{run}") for run in range(RUNS)]
            direct = [await asyncio.to_thread(run_here, argv) for _ in range(RUNS)]
            figure, beside = statistics.median(float(text) for _, text in outputs), statistics.median(direct)
            print(f"pod of {kind:<4} {direction:<4}  {figure:5.2f} Gbit/s   machine itself {beside:5.2f}")


async def main() -> None:
    if not OWN:
        raise SystemExit("this machine has no address but its loopback")
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        for kind in sandboxes.kinds():
            await measure(kind, Path(made))


if __name__ == "__main__":
    asyncio.run(main())
