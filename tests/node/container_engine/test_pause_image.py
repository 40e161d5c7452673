import io
import os
import signal
import subprocess
import tarfile
from pathlib import Path

import pytest

from sidings.node.container_engine import pause_image
from sidings.node.errors import EngineUnavailable
from tests.node.container_engine.engines import asked, scripted


def test_the_program_waits_until_it_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "pause"
    program.write_bytes(pause_image.executable(os.uname().machine))
    program.chmod(0o755)
    process = subprocess.Popen([program])
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.1)
    process.kill()
    assert process.wait() == -signal.SIGKILL


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_image_is_that_program(machine: str) -> None:
    with tarfile.open(fileobj=io.BytesIO(pause_image.archive(machine))) as tar:
        [entry] = tar.getmembers()
    assert (entry.name, entry.mode) == ("pause", 0o755)
    assert entry.size == len(pause_image.executable(machine)) < 160


async def test_it_is_imported_once(tmp_path: Path) -> None:
    engine = scripted(tmp_path, f'case "$1" in image) test -e {tmp_path}/made;; import) cat > {tmp_path}/made;; esac')
    await pause_image.ensure(engine)
    await pause_image.ensure(engine)
    assert (tmp_path / "made").read_bytes() == pause_image.archive(os.uname().machine)
    assert len([line for line in asked(engine) if line.startswith("import")]) == 1


async def test_an_engine_that_refuses_it(tmp_path: Path) -> None:
    engine = scripted(tmp_path, "echo 'Error response from daemon: no space left on device' >&2; exit 1", "docker")
    with pytest.raises(EngineUnavailable) as refused:
        await pause_image.ensure(engine)
    assert refused.value.cause == "no space left on device"
