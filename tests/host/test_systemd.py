"""The unit as systemd itself reads it, and readiness as it hears of it."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sidings.host import systemd


def test_the_unit_runs_the_engine_in_the_foreground() -> None:
    text = systemd.unit(("/opt/v/bin/python", "-m", "sidings"), ("--nodes", "2"), {"SIDINGS_HOME": "/home/a b/50%"})
    assert "ExecStart=/opt/v/bin/python -m sidings up --foreground --nodes 2\n" in text
    assert 'Environment="SIDINGS_HOME=/home/a b/50%%"\n' in text
    assert "KillMode=process\n" in text and "Type=notify\n" in text


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here (apt-get install systemd)")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    file = tmp_path / systemd.NAME
    program = systemd.program(Path(sys.executable))
    file.write_text(systemd.unit(program, ("--cpu", "8"), {"SIDINGS_HOME": str(tmp_path)}))
    verify = ("systemd-analyze", "--user", "verify", str(file))
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(verify, capture_output=True, text=True, check=False, env=environ)
    assert (done.returncode, done.stderr) == (0, "")


def test_ready_is_told_to_whoever_started_the_process(tmp_path: Path) -> None:
    assert systemd.notify_ready({}) is False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        assert systemd.notify_ready({"NOTIFY_SOCKET": str(tmp_path / "notify")}) is True
        assert manager.recv(100) == b"READY=1"
