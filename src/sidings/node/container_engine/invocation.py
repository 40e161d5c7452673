"""What is typed at a container engine: the argument vectors of podman and docker. Pure.

A container joins its caller's network, host name and System V namespace (``host`` means the namespace of whoever
runs podman, which is the pod's shim); with docker, whose daemon is elsewhere, those of the pod's pause container.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sidings.node import masks
from sidings.node.container_engine.engine import DOCKER, POD_LABEL, PODMAN, STATE_LABEL, ContainerEngine
from sidings.node.sandbox.spec import Bind, Container, ImageRun

SHARED_MEMORY = "/dev/shm"
_PROCESSES = 16384
_BY_VALUE = (
    "PATH", "HOME", "TMPDIR", "LD_", "XDG_", "CONTAINER", "DOCKER", "BUILDAH", "PODMAN", "STORAGE_", "REGISTRY_",
    "_CONTAINERS", "GO", "NOTIFY_SOCKET", "LISTEN_", "DBUS_", "SSL_", "http", "https", "HTTP", "NO_PROXY", "no_proxy",
    "ALL_PROXY", "all_proxy",
)  # fmt: skip
"""Beginnings of names that would steer the engine's own program."""
_INSPECTED = "{{.Id}} {{.State.Pid}} {{.State.Status}} {{.State.ExitCode}} {{.State.OOMKilled}}"


class Unmountable(Exception):
    """A bind that cannot be told to an engine; the text names it."""


@dataclass(frozen=True)
class Invocation:
    """A command line and the variables that its program gets."""

    argv: tuple[str, ...]
    environment: dict[str, str]


@dataclass(frozen=True)
class State:
    """What an engine says of one of its containers."""

    id: str
    pid: int
    """Of its first process, as this machine sees it; 0 when it does not run."""
    status: str
    exit_code: int
    out_of_memory: bool

    @property
    def has_begun(self) -> bool:
        return self.status not in ("created", "initialized", "configured")


def container_name(pod_uid: str, container: Container) -> str:
    return f"sidings-{pod_uid}-{container.name}-{container.attempt}"


def create(
    engine: ContainerEngine, pod_uid: str, container: Container, binds: Sequence[Bind], shared_memory: str
) -> Invocation:
    """Make a container, to be started by ``start``. Raises ``Unmountable``."""
    return _invocation(engine, ("create",), pod_uid, container, binds, shared_memory)


def run_detached(
    engine: ContainerEngine,
    pod_uid: str,
    container: Container,
    binds: Sequence[Bind],
    shared_memory: str,
    monitor_file: Path,
    process_file: Path,
) -> Invocation:
    """Make and start a container on the caller's own descriptors (podman). Raises ``Unmountable``.

    The program returns when it runs. Before that, ``process_file`` has the pid of its first process, which waits to
    begin; ``monitor_file`` has the pid of the process that ends with it.
    """
    files = ("--conmon-pidfile", str(monitor_file), "--pidfile", str(process_file))
    verb = ("run", "--detach", "--log-driver", "passthrough", *files)
    return _invocation(engine, verb, pod_uid, container, binds, shared_memory)


def start(engine: ContainerEngine, name: str, *, stdin: bool) -> tuple[str, ...]:
    """Start a container and stay attached to it; the program ends with it and with its exit code."""
    unproxied = ["--sig-proxy=false"] if engine.name == PODMAN else []
    return tuple(engine.command("start", "--attach", *(["--interactive"] if stdin else []), *unproxied, name))


def execute(engine: ContainerEngine, name: str, argv: Iterable[str], *, terminal: bool, mark: str) -> tuple[str, ...]:
    """Run ``argv`` in a running container; ``mark`` (``NAME=value``) is in the environment of what it starts."""
    words = ["exec", "--interactive", *(["--tty"] if terminal else []), "--env", mark, name, *argv]
    return tuple(engine.command(*words))


def kill(engine: ContainerEngine, name: str, signal_name: str) -> tuple[str, ...]:
    return tuple(engine.command("kill", "--signal", signal_name, name))


def remove(engine: ContainerEngine, *names: str) -> tuple[str, ...]:
    """End and remove containers and their anonymous volumes; those that are not there are no error (podman)."""
    now = ("--ignore", "--time", "0") if engine.name == PODMAN else ()
    return tuple(engine.command("rm", "--force", "--volumes", *now, *names))


def inspect(engine: ContainerEngine, name: str) -> tuple[str, ...]:
    return tuple(engine.command("container", "inspect", "--format", _INSPECTED, name))


def parse_state(text: str) -> State:
    id_, pid, status, exit_code, out_of_memory = text.split()
    return State(id_, int(pid), status, int(exit_code), out_of_memory == "true")


def listed(engine: ContainerEngine) -> tuple[str, ...]:
    """Print our containers, running or not: a line each, with its id and the uid of its pod."""
    label = f'.Label "{POD_LABEL}"' if engine.name == DOCKER else f'index .Labels "{POD_LABEL}"'
    filters = ("--filter", f"label={STATE_LABEL}={engine.state}")
    return tuple(engine.command("ps", "--all", "--no-trunc", *filters, "--format", f"{{{{.ID}}}} {{{{{label}}}}}"))


def _invocation(
    engine: ContainerEngine,
    verb: Sequence[str],
    pod_uid: str,
    container: Container,
    binds: Sequence[Bind],
    shared_memory: str,
) -> Invocation:
    image = container.image
    assert image is not None, "a container of an engine has an image"
    names, values = _variables(container.environment)
    words = [
        *verb,
        *("--name", container_name(pod_uid, container), "--pull", "never"),
        *_labels(engine, pod_uid),
        *_namespaces(engine, pod_uid, shared_memory),
        *_settings(engine),
        *image.flags,
        *(["--read-only"] if container.root.read_only else []),
        *(["--interactive"] if container.stdin else []),
        *(["--tty"] if container.terminal else []),
        *(["--workdir", container.directory] if container.directory else []),
        *_volumes(binds),
        *_masks(container, binds),
        *(word for name in names for word in ("--env", name)),
        *_command(image),
    ]
    return Invocation(tuple(engine.command(*words)), {**engine.environment, **values})


def _labels(engine: ContainerEngine, pod_uid: str) -> tuple[str, ...]:
    return "--label", f"{STATE_LABEL}={engine.state}", "--label", f"{POD_LABEL}={pod_uid}"


def _variables(environment: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """What follows ``--env``, and the variables that the engine's program takes values from.

    Anybody may read a command line, so values (secrets among them) go by the environment where they can.
    """
    by_value = {name for name in environment if name.startswith(_BY_VALUE)}
    names = [f"{name}={environment[name]}" if name in by_value else name for name in environment]
    return names, {name: value for name, value in environment.items() if name not in by_value}


def pause_name(pod_uid: str) -> str:
    """Of the container that holds a pod's namespaces for docker's others."""
    return f"sidings-{pod_uid}"


def pause(engine: ContainerEngine, pod_uid: str, hostname: str, image: str, shared_bytes: int) -> tuple[str, ...]:
    """Start that container; its network has no interface yet. ``shared_bytes``: of the pod's /dev/shm."""
    words = ("--network", "none", "--ipc", "shareable", "--shm-size", str(shared_bytes), "--hostname", hostname)
    named = ("--name", pause_name(pod_uid), "--pull", "never", *_labels(engine, pod_uid))
    return tuple(engine.command("run", "--detach", *named, *words, image))


def _namespaces(engine: ContainerEngine, pod_uid: str, shared_memory: str) -> list[str]:
    if engine.name == DOCKER:
        pause = f"container:{pause_name(pod_uid)}"
        return ["--network", pause, "--ipc", pause]
    shared = ["--volume", f"{shared_memory}:{SHARED_MEMORY}"]
    return ["--network", "host", "--uts", "host", "--ipc", "host", "--no-hosts", *shared]


def _settings(engine: ContainerEngine) -> list[str]:
    limits = ["--ulimit", f"nofile={engine.open_files}:{engine.open_files}", "--pids-limit", str(_PROCESSES)]
    if engine.name == DOCKER:
        return limits
    # podman's own defaults: more processes than a small machine lets root allow, systemd's mounts for commands
    # called "init", and this machine's proxies for every container.
    own = ["--ulimit", f"nproc={_PROCESSES}:{_PROCESSES}", "--systemd", "false", "--http-proxy=false"]
    return [*limits, *own, "--security-opt", "label=disable"]


def _volumes(binds: Iterable[Bind]) -> list[str]:
    words: list[str] = []
    for bind in binds:
        if ":" in bind.source or ":" in bind.target:
            raise Unmountable(f"cannot mount {bind.source} at {bind.target}: container engines take no path with ':'")
        words += ["--volume", f"{bind.source}:{bind.target}:{'ro' if bind.read_only else 'rw'}"]
    return words


def _masks(container: Container, binds: Sequence[Bind], mode: Callable[[str], int] | None = None) -> list[str]:
    """Cover the secrets of this machine that a bind shows; an image has none of its own."""
    words: list[str] = []
    for path in dict.fromkeys(masks.inside(container.root.secrets, binds)):
        for bind in binds:
            inside = bind.target.rstrip("/") + "/"
            if not path.startswith(inside):
                continue
            try:
                found = (mode or _mode)(f"{bind.source.rstrip('/')}/{path[len(inside) :]}")
            except OSError:
                continue  # no such secret on this machine
            words += ["--tmpfs", f"{path}:ro,size=4k"] if stat.S_ISDIR(found) else ["--volume", f"/dev/null:{path}:ro"]
    return words


def _mode(path: str) -> int:
    return Path(path).stat().st_mode


def _command(image: ImageRun) -> list[str]:
    entrypoint = [] if image.entrypoint is None else ["--entrypoint", image.entrypoint]
    return [*entrypoint, image.id, *image.arguments]
