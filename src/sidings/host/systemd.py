"""An engine as a systemd user unit: the unit's text, and telling systemd that the engine is ready.

``up --systemd-unit`` prints the unit with the options it was given; the user puts it where units are. Only the engine
is signalled (``KillMode=process``): pods that it left running when it was killed are adopted by the next one, which
``Restart=on-failure`` starts. ``Delegate=yes`` gives an ordinary user control groups for the limits of pods.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

NAME = "sidings.service"
NOTIFY_VARIABLE = "NOTIFY_SOCKET"
START_SECONDS, STOP_SECONDS = 90, 90


def unit(program: Sequence[str], options: Sequence[str], environment: Mapping[str, str]) -> str:
    """The unit that runs ``program up --foreground OPTIONS`` with ``environment``; words are quoted for systemd."""
    command = " ".join(_word(word) for word in (*program, "up", "--foreground", *options))
    lines = [
        "[Unit]",
        "Description=Sidings: the Kubernetes API with distributed training on this machine",
        "",
        "[Service]",
        "Type=notify",
        f"ExecStart={command}",
        *(f"Environment={_word(f'{name}={value}')}" for name, value in environment.items()),
        "KillMode=process",
        "Restart=on-failure",
        f"TimeoutStartSec={START_SECONDS}",
        f"TimeoutStopSec={STOP_SECONDS}",
        "Delegate=yes",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return "\n".join(lines) + "\n"


def commands() -> tuple[tuple[str, str], ...]:
    """What a user types to install the unit, and why."""
    folder = "~/.config/systemd/user"
    return (
        (f"mkdir -p {folder} && sidings up --systemd-unit > {folder}/{NAME}", "put it where units are"),
        ("systemctl --user daemon-reload && systemctl --user enable --now sidings", "start it now and at login"),
        ("loginctl enable-linger", "at boot, without a login"),
    )


def notify_ready(environ: Mapping[str, str]) -> bool:
    """Tell the service manager that started this process that it is ready; False where there is none (sd_notify(3))."""
    address = environ.get(NOTIFY_VARIABLE)
    if not address:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.connect("\0" + address[1:] if address.startswith("@") else address)
        manager.sendall(b"READY=1")
    return True


def program(executable: Path) -> tuple[str, ...]:
    """How this installation is started: by its interpreter, which a later PATH cannot change."""
    return (str(executable), "-m", "sidings")


def _word(text: str) -> str:
    """One word of a command line in a unit: ``%`` and ``$`` mean something to systemd, spaces and quotes as well."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if any(c in text for c in " \t\"'\\;") or not text else escaped
