"""What an MPI image brings beside its programs: where ``sshd`` listens, how ``ssh`` gets there, and a user to log in.

Manifests count on it. Trainer's MPI runtimes start ``sshd -De -f /home/mpiuser/.sshd_config`` as user 1000, and their
launcher calls plain ``ssh NODE``; images of Trainer (2.3) and of the MPI Operator agree on port 2222, which needs no
root, on the job's own key as the host's key, and on no questions about hosts that nobody has seen before. Containers
here run this machine's software, whose ``sshd`` and ``ssh`` are made for other things, so a container that mounts the
keys of an MPI job finds these files instead of the machine's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from sidings.api.objects import Object
from sidings.api.trainer import words
from sidings.node.errors import SecurityRefused
from sidings.node.sandbox.credentials import Credentials
from sidings.node.sandbox.spec import Bind
from sidings.node.security import Means
from sidings.node.sources import Sources

FOLDER, KEY, SERVER, CLIENT = "/etc/ssh", "job_key", "sshd_config", "ssh_config"
PORT = 2222
OF_USER = "/home/mpiuser/.sshd_config"
"""Where the images have the server's configuration for a user who is not root."""
SEPARATION = "/run/sshd"
"""An empty folder that a ``sshd`` of root asks for (Debian's; images make it)."""
_OF_SESSIONS = ("PATH", "HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS")
"""What the node gives a container and ``sshd`` would not hand on: in an image it is where ``sshd`` looks anyway."""
_CLIENT = f"""\
Host *
  Port {PORT}
  IdentityFile {FOLDER}/{KEY}
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
"""


def keys_folder(container: Object) -> str:
    """Where ``container`` mounts the key pair of its MPI job; "" where it is no part of one."""
    mounts = container.get("volumeMounts") or ()
    return next((str(mount["mountPath"]) for mount in mounts if mount["name"] == words.MPI_KEYS_VOLUME), "")


def login_home(pod: Object) -> str:
    """The home of those who log in to ``pod`` over SSH; "" where nobody does."""
    folders = (keys_folder(container) for container in pod["spec"]["containers"])
    return next((str(PurePosixPath(folder).parent) for folder in folders if folder), "")


def prepare(
    folder: Path,
    pod: Object,
    container: Object,
    sources: Sources,
    variables: Mapping[str, str],
    who: Credentials,
    means: Means,
) -> tuple[Bind, ...]:
    """Write the files for ``container`` below ``folder``; returns where it sees them, nothing if it has no keys.

    Raises ``SecurityRefused`` for a server that could let nobody in.
    """
    keys = keys_folder(container)
    if not keys:
        return ()
    if why := obstacle(container, who, means):
        raise SecurityRefused("sshd can let nobody in", cause=why)
    folder = folder / f"ssh-{container['name']}"
    (folder / "empty").mkdir(parents=True, exist_ok=True)
    (folder / SERVER).write_text(server(keys, variables))
    (folder / CLIENT).write_text(_CLIENT)
    # Of a key that others may read ssh and sshd want nothing to know if it is their own. Which user owns the mounted
    # one depends on who runs the engine; this one is always the container's.
    key = folder / KEY
    key.unlink(missing_ok=True)
    key.touch(0o600)
    key.write_bytes(_private_key(pod, sources))
    if means.groups:
        os.chown(key, who.user, who.group)
    return (
        Bind(str(folder), FOLDER),
        Bind(str(folder / SERVER), OF_USER),
        Bind(str(folder / "empty"), SEPARATION),
    )


def server(keys: str, variables: Mapping[str, str]) -> str:
    """``sshd_config`` of a container that mounts its job's ``keys`` and has the environment ``variables``."""
    session = " ".join(f'"{name}={variables[name]}"' for name in _OF_SESSIONS if name in variables)
    return (
        f"Port {PORT}\n"
        f"HostKey {FOLDER}/{KEY}\n"
        f"AuthorizedKeysFile {keys}/authorized_keys\n"
        "StrictModes no\n"  # the keys belong to root, whoever logs in
        "UsePAM no\n"
        "PidFile none\n"
        "PermitRootLogin prohibit-password\n"
        f"SetEnv {session}\n"
    )


def obstacle(container: Object, who: Credentials, means: Means) -> str:
    """Why a ``sshd`` that ``container`` starts could let nobody in, with the way out; "" if it can or starts none."""
    argv = [*(container.get("command") or ()), *(container.get("args") or ())]
    if not argv or PurePosixPath(argv[0]).name != "sshd":
        return ""
    if not means.network:
        return "pods of this node share the machine's network; sidings doctor says how to get a better tier"
    if who.user == 0 and not means.groups:
        return (
            "the engine is not root's, so a sshd of root cannot change groups; set securityContext.runAsUser: 1000 on "
            "the containers of launcher and node, and spec.mlPolicy.mpi.sshAuthMountPath: /home/mpiuser/.ssh"
        )
    return ""


def _private_key(pod: Object, sources: Sources) -> bytes:
    volume = next(volume for volume in pod["spec"]["volumes"] if volume["name"] == words.MPI_KEYS_VOLUME)
    data = sources.secret(volume["secret"]["secretName"], optional=False) or {}
    return data.get("ssh-privatekey", b"")
