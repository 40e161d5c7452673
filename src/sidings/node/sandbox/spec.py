"""What the control plane asks of a sandbox: plain data, complete in itself, JSON on the socket.

Everything here is decided before the request is sent (addresses, environment, sources of volumes, what is hidden), so
that the processes on the other side need neither the API nor any rule of it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from sidings.node.container_engine.engine import ContainerEngine
from sidings.node.sandbox.cgroups import Group
from sidings.node.sandbox.credentials import Credentials

PROTOCOL = 4
"""Goes up with every change of these messages; an agent never drives a zygote of another protocol."""


@dataclass(frozen=True)
class MemoryVolume:
    """``emptyDir`` with medium Memory: a tmpfs over ``directory``, shared by the pod's containers."""

    directory: str
    size_bytes: int = 0


@dataclass(frozen=True)
class PodSandbox:
    """One pod: its state directory (exists already), its name and its place on the bridge."""

    uid: str
    directory: str
    hostname: str
    address: str
    shared_memory: str
    """Name of the tmpfs that all pods of one job see as ``/dev/shm``. NCCL drops NVLink between pods that have two."""
    memory_volumes: tuple[MemoryVolume, ...] = ()
    host_network: bool = False
    """It is in the node's network instead of one of its own; ``address`` is the node's."""
    sysctls: tuple[tuple[str, str], ...] = ()
    """Kernel parameters of its own network, with dots."""
    engine: ContainerEngine | None = None
    """What runs its containers from their images; None: they are processes of ours on this machine's software."""

    @staticmethod
    def from_json(value: dict[str, Any]) -> PodSandbox:
        fields = dict(value)
        fields["sysctls"] = tuple((name, value) for name, value in fields["sysctls"])
        fields["memory_volumes"] = tuple(MemoryVolume(**volume) for volume in fields["memory_volumes"])
        if fields.get("engine"):
            fields["engine"] = ContainerEngine.from_json(fields["engine"])
        return PodSandbox(**fields)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Bind:
    """The host's ``source`` (and ``sub_path`` inside it, which cannot leave it) at ``target`` of the pod."""

    source: str
    target: str
    read_only: bool = True
    sub_path: str = ""


@dataclass(frozen=True)
class Root:
    """What a container sees as ``/``: the host's software, read-only, and these."""

    hidden: tuple[str, ...] = ()
    """Directories of the host that are empty and writable in the pod (homes)."""
    binds: tuple[Bind, ...] = ()
    masked: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    """Paths of the host that no bind may lead to, whatever links it follows, unless its source names them itself."""
    """Paths of the pod that are covered last of all, wherever they came from."""
    read_only: bool = False


@dataclass(frozen=True)
class ImageRun:
    """How a container is run from an image. Its command is the image's where the manifest has none."""

    id: str
    reference: str
    """For ``imageID`` of the container's status."""
    entrypoint: str | None = None
    """Instead of the image's; None: that."""
    arguments: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    """What else the engine is told: limits, user, devices."""
    stop_signal: str = ""
    """The image's own, instead of SIGTERM."""


@dataclass(frozen=True)
class Container:
    """One attempt to run one container."""

    name: str
    attempt: int
    argv: tuple[str, ...]
    environment: dict[str, str]
    directory: str
    """The working directory in the pod; private and writable where the pod has no such directory."""
    root: Root
    scratch: str
    """A host directory for what the container writes outside of volumes: home, tmp, work, cwd."""
    log: str
    """The CRI log file."""
    log_max_bytes: int
    log_max_files: int
    termination_log: str = "/dev/termination-log"
    message_from_log: bool = False
    """terminationMessagePolicy FallbackToLogsOnError."""
    groups: tuple[Group, ...] = ()
    """Control groups that keep it to its limits."""
    polled_memory: int = 0
    """A memory limit in bytes that no control group keeps, so that the shim has to look; 0 for none."""
    polled_processes: int = 0
    """The same for the number of processes and threads."""
    devices: tuple[str, ...] = ()
    """Names in the host's /dev that this container has beside what every container has: its GPUs."""
    stdin: bool = False
    stdin_once: bool = False
    """The first session that attaches with a stdin gets it, and its end is the container's end of file."""
    credentials: Credentials = field(default_factory=Credentials)
    terminal: bool = False
    """``tty``: stdin, stdout and stderr are one terminal of the container's own."""
    image: ImageRun | None = None
    """For a container engine; ``argv`` is empty then, and ``directory`` may be, for the image's."""

    @staticmethod
    def from_json(value: dict[str, Any]) -> Container:
        fields = dict(value)
        root = dict(fields["root"])
        root["binds"] = tuple(Bind(**bind) for bind in root["binds"])
        fields["root"] = Root(**root)
        fields["groups"] = tuple(
            Group(group["directory"], tuple((name, value) for name, value in group["settings"]))
            for group in fields["groups"]
        )
        fields["devices"] = tuple(fields["devices"])
        who = dict(fields["credentials"])
        fields["credentials"] = Credentials(**{**who, "groups": tuple(who["groups"])})
        if fields.get("image"):
            image = fields["image"]
            image |= {"arguments": tuple(image["arguments"]), "flags": tuple(image["flags"])}
            fields["image"] = ImageRun(**image)
        return Container(**fields)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Attempt:
    """What became of one attempt; times are seconds since the epoch. Kept in ``status.json`` by the shim."""

    number: int
    started_at: float
    finished_at: float | None = None
    exit_code: int | None = None
    signal: int = 0
    reason: str = ""
    message: str = ""
    pid: int = 0
    """Of the container's init, below which all its processes are."""
    container_id: str = ""
    """``podman://...``; "" for a container of our own making."""
    image_id: str = ""

    @property
    def running(self) -> bool:
        return self.finished_at is None


@dataclass
class SandboxStatus:
    """``status.json``: who the shim is and how each container fared, also for readers that come after a crash."""

    boot_id: str
    pid: int
    start_time: int
    """Field 22 of ``/proc/<pid>/stat``: with it a recycled pid is not mistaken for the shim."""
    address: str
    attempts: dict[str, list[Attempt]] = field(default_factory=dict)

    @staticmethod
    def from_json(value: dict[str, Any]) -> SandboxStatus:
        fields = dict(value)
        fields["attempts"] = {
            name: [Attempt(**attempt) for attempt in attempts] for name, attempts in fields["attempts"].items()
        }
        return SandboxStatus(**fields)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
