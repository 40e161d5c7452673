"""Images for tests, made of what this machine has: nothing is pulled."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

APPLETS = (
    "cat", "date", "dd", "echo", "env", "false", "grep", "head", "hostname", "id", "ls", "mkdir", "mount", "nc",
    "nslookup", "ps", "pwd", "seq", "sh", "sleep", "stat", "stty", "tail", "tar", "test", "touch", "tr", "true", "tty",
    "wc", "wget", "yes",
)  # fmt: skip


def _static_busybox() -> str | None:
    program = shutil.which("busybox")
    if program is None:
        return None
    linked = subprocess.run(["ldd", program], capture_output=True, text=True).returncode == 0
    return None if linked else program


IMAGE = "localhost/sidings-test:1"
BUSYBOX = _static_busybox()
"""A busybox that needs no libraries (Debian's busybox-static, or the plain one of Debian); None where there is none."""


def root_file_system(directory: Path) -> Path:
    """A root with busybox and two users."""
    assert BUSYBOX is not None
    for name in ("bin", "etc", "tmp", "proc", "sys", "dev"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(BUSYBOX, directory / "bin/busybox")
    for applet in APPLETS:
        (directory / "bin" / applet).unlink(missing_ok=True)
        (directory / "bin" / applet).symlink_to("busybox")
    (directory / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\napp:x:1000:1000::/:/bin/sh\n")
    (directory / "etc/group").write_text("root:x:0:\napp:x:1000:\n")
    return directory


def imported(engine: str, directory: Path) -> None:
    """Have ``engine`` (podman or docker) know ``IMAGE``, which has an entrypoint, a user and a variable."""
    archive = directory / "image.tar"
    subprocess.run(["tar", "-C", str(root_file_system(directory / "root")), "-cf", str(archive), "."], check=True)
    changes = ['ENTRYPOINT ["/bin/sh", "-c"]', 'CMD ["id -un; pwd; echo $GREETING"]', "USER app", "WORKDIR /tmp"]
    changes.append("ENV GREETING=hi" if engine == "docker" else "ENV=GREETING=hi")
    words = [word for change in changes for word in ("--change", change)]
    subprocess.run([engine, "import", *words, str(archive), IMAGE], check=True, capture_output=True)


def missing(name: str) -> str:
    """Why engine ``name`` cannot be tried on this machine; "" where it can."""
    if os.geteuid() != 0:
        return "not root"
    if BUSYBOX is None:
        return "no static busybox to make an image of (apt-get install busybox-static)"
    if shutil.which(name) is None:
        return f"no {name} (apt-get install {name})"
    asked = subprocess.run([name, "info"], capture_output=True, text=True)
    return f"{name} does not work: {asked.stderr.strip()[-200:]}" if asked.returncode else ""
