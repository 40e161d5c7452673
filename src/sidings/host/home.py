"""Where an engine keeps its state, and which engine that is.

``$SIDINGS_HOME``, else ``$XDG_STATE_HOME/sidings``, else ``~/.local/state/sidings``: it is state in the sense of the
XDG base directories, neither configuration that a user edits nor a cache that may be deleted. One home, one engine.

::

    home/                 0700
      kubeconfig          0600, what ``up`` tells a user to export
      engine.json         the engine that runs: process, address, version
      options.json        what the last ``up`` was told, so that the next one starts the same nodes
      engine.log          the engine's own log, the former one as engine.log.1
      objects.db          every object
      s3/                 buckets of `up --s3`, with its keys in s3.json and its log in s3.log
      pki/                certificate authority, server certificate, token
      nodes/              pods: their logs, volumes and status
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sidings.host import process
from sidings.host.errors import EngineNotRunning
from sidings.host.process import ProcessId
from sidings.store import place

VARIABLE = "SIDINGS_HOME"


@dataclass(frozen=True)
class EngineRecord:
    """An engine that runs, or ran until it was killed."""

    pid: int
    start_ticks: int
    boot_id: str
    server: str
    kubeconfig: str
    version: str
    started: str

    @property
    def port(self) -> int:
        return int(self.server.rpartition(":")[2])

    @property
    def process(self) -> ProcessId:
        return ProcessId(self.pid, self.start_ticks, self.boot_id)


@dataclass(frozen=True)
class Home:
    """The state directory of one engine; nothing here creates it."""

    path: Path

    @property
    def kubeconfig(self) -> Path:
        return self.path / "kubeconfig"

    @property
    def record_file(self) -> Path:
        return self.path / "engine.json"

    @property
    def options_file(self) -> Path:
        return self.path / "options.json"

    @property
    def log(self) -> Path:
        return self.path / "engine.log"

    @property
    def store(self) -> Path:
        return self.path / "objects.db"

    @property
    def lock(self) -> Path:
        """Held by whoever has ``store`` open."""
        return self.store.with_name(f"{self.store.name}.lock")

    @property
    def s3(self) -> Path:
        return self.path / "s3"

    @property
    def s3_keys(self) -> Path:
        return self.path / "s3.json"

    @property
    def s3_log(self) -> Path:
        return self.path / "s3.log"

    @property
    def pki(self) -> Path:
        return self.path / "pki"

    @property
    def nodes(self) -> Path:
        return self.path / "nodes"

    def record(self) -> EngineRecord | None:
        """The engine last started here, running or not; None after a clean ``down``."""
        data = read_json(self.record_file)
        return EngineRecord(**data) if data is not None else None

    def running(self) -> EngineRecord | None:
        """The engine that runs now."""
        record = self.record()
        return record if record is not None and process.is_alive(record.process) else None

    def engine(self) -> EngineRecord:
        """As ``running``, but raises ``EngineNotRunning`` with what to do."""
        if record := self.running():
            return record
        former = self.record()
        raise EngineNotRunning(
            f"no engine runs in {self.path}",
            cause=f"process {former.pid} ended without `sidings down`; pods it started go on" if former else "",
            remedy="sidings up",
        )

    def write_record(self, record: EngineRecord) -> None:
        write_json(self.record_file, asdict(record))

    def forget_record(self) -> None:
        self.record_file.unlink(missing_ok=True)


def concerns(home: Home, mount_table: Path = place.MOUNT_TABLE) -> list[str]:
    """What a user should know of the place where ``home`` is; one that cannot hold state is the store's error."""
    existing = home.path
    while not existing.exists():
        existing = existing.parent
    found = []
    file_system = place.file_system_of(existing.resolve(), mount_table.read_text())
    if file_system == "overlay":
        found.append(f"{home.path} is in a container's own layer: objects and data are gone with the container")
    if file_system in ("tmpfs", "ramfs"):
        found.append(f"{home.path} is in memory ({file_system}): objects and data are gone after a reboot")
    if existing == home.path and existing.stat().st_mode & 0o077:
        found.append(f"{home.path} can be entered by other users; to close it: chmod 700 {home.path}")
    return found


def locate(environ: Mapping[str, str]) -> Home:
    """The home that the environment names; an absolute path without symlinks, so that all see the same."""
    if named := environ.get(VARIABLE):
        return Home(Path(named).expanduser().resolve())
    state = environ.get("XDG_STATE_HOME") or str(Path(environ.get("HOME") or Path.home()) / ".local" / "state")
    return Home((Path(state) / "sidings").resolve())


def read_json(path: Path) -> dict[str, Any] | None:
    """The object in ``path``, None where there is no such file."""
    try:
        text = path.read_text()
    except (FileNotFoundError, NotADirectoryError):
        return None
    data: dict[str, Any] = json.loads(text)
    return data


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Replace ``path`` in one step, so that a reader sees the old or the new object, never half of one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(data, indent=2) + "\n")
    temporary.chmod(0o600)
    temporary.replace(path)
