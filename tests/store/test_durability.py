"""What is acknowledged survives: a restart, ``kill -9``, a full disk."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from sidings.store.entries import Delete, Put
from sidings.store.errors import Full
from sidings.store.log import SqliteLog
from sidings.store.store import Store


async def test_a_restart_keeps_entries_and_goes_on_counting(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.db")
    (kept,) = await store.write([Put(("pods", "default", "kept"), {"metadata": {}, "text": "größer"})])
    await store.write([Put(("pods", "default", "gone"), {"metadata": {}})])
    await store.write([Delete(("pods", "default", "gone"))])
    last = store.revision
    await store.close()

    store = Store.open(tmp_path / "state.db")
    assert store.scan(("pods",)) == [kept]
    assert store.revision == last == store.oldest("pods")
    (entry,) = await store.write([Put(("pods", "default", "next"), {"metadata": {}})])
    assert entry.revision == last + 1
    await store.close()


WRITER = """
    import asyncio, itertools, sys
    from pathlib import Path
    from sidings.store.entries import Put
    from sidings.store.store import Store

    async def main():
        store = Store.open(Path(sys.argv[1]))
        async def write(lane):
            for number in itertools.count():
                name = f"{lane}-{number}"
                await store.write([Put(("pods", "default", name), {"metadata": {"name": name}}, expected=0)])
                print(name, flush=True)
        await asyncio.gather(*(write(lane) for lane in range(8)))

    asyncio.run(main())
"""


def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        acknowledged = [process.stdout.readline().strip() for _ in range(300)]
        process.send_signal(signal.SIGKILL)
        acknowledged += [line.strip() for line in process.stdout if line.endswith("\n")]
    store = Store.open(path)
    names = {entry.key[2] for entry in store.scan(("pods",))}
    assert set(acknowledged) <= names
    assert store.revision >= len(acknowledged)
    asyncio.run(store.close())


async def test_a_full_database_refuses_a_write_keeps_the_rest_and_recovers(tmp_path: Path) -> None:
    """SQLite reports its own page limit exactly as it reports a full disk."""
    log = SqliteLog(tmp_path / "state.db")
    store = Store(log, threaded=True)
    await store.write([Put(("pods", "default", "small"), {"metadata": {}})])
    log.connection.execute("PRAGMA max_page_count = 6")
    with pytest.raises(Full) as caught:
        await store.write([Put(("pods", "default", "big"), {"metadata": {}, "filler": "." * 100_000})])
    assert "df -h" in caught.value.remedy
    assert store.get(("pods", "default", "small")) is not None
    assert store.get(("pods", "default", "big")) is None
    log.connection.execute("PRAGMA max_page_count = 1000000")
    await store.write([Put(("pods", "default", "big"), {"metadata": {}, "filler": "." * 100_000})])
    await store.close()
    store = Store.open(tmp_path / "state.db")
    assert [entry.key[2] for entry in store.scan(("pods",))] == ["big", "small"]
    await store.close()


FILLER = """
    import asyncio, os, sys
    from pathlib import Path
    from sidings.store.entries import Put
    from sidings.store.errors import Full
    from sidings.store.store import Store

    async def main():
        disk = Path(sys.argv[1])
        ballast = disk / "ballast"
        ballast.write_bytes(b"." * 400_000)
        store = Store.open(disk / "state" / "state.db")
        acknowledged = []
        try:
            for number in range(10_000):
                key = ("pods", "default", f"{number:05}")
                await store.write([Put(key, {"metadata": {}, "filler": "." * 5000})])
                acknowledged.append(key)
        except Full as error:
            print(error.code)
        assert acknowledged and all(store.get(key) for key in acknowledged)
        ballast.unlink()
        await store.write([Put(("pods", "default", "after"), {"metadata": {}})])
        await store.close()
        store = Store.open(disk / "state" / "state.db")
        assert len(store.scan(("pods",))) == len(acknowledged) + 1
        print("recovered")

    asyncio.run(main())
"""


def test_a_full_disk_refuses_a_write_keeps_the_rest_and_recovers(tmp_path: Path) -> None:
    """The real thing: a file system of one megabyte, mounted in a namespace of its own."""
    script = tmp_path / "filler.py"
    script.write_text(textwrap.dedent(FILLER))
    command = f"mount -t tmpfs -o size=1m tmpfs {tmp_path} && cd / && exec {sys.executable} - {tmp_path}"
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*unshare, "true"], capture_output=True).returncode:
        pytest.skip("this machine lets nobody but root make a mount namespace")
    with script.open("rb") as source:
        done = subprocess.run([*unshare, "sh", "-c", command], stdin=source, capture_output=True, text=True)
    assert done.stdout.split() == ["STORE_FULL", "recovered"], done.stderr
