"""The commands that mend what a container died of, where its job can be submitted anew with a change that is known.

Each takes what is sure (the pod as it ran, the line that tells) and gives "" where the change is for people to find;
the log is shown then.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Any

from sidings.answers import codes
from sidings.answers.resubmission import TRAINER, Path, Revision
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import full_disk, gpu_memory
from sidings.api import quantity
from sidings.api.objects import Object

MORE_MEMORY = 2
"""Times the limit that was too small."""
PACKAGES = {"PIL": "pillow", "cv2": "opencv-python-headless", "sklearn": "scikit-learn", "yaml": "pyyaml"}
"""Modules that people miss and whose package has another name."""

_MODULE = re.compile(r"No module named '([A-Za-z0-9_]+)")
_HOME = re.compile(r"'/(?:\.cache|\.local|\.config|\.triton|\.ipython|root/)")
_PROCESSES = re.compile(r"^--nproc[-_]per[-_]node=(\d+)$")
_NODES = re.compile(r"^--nnodes=(\d+)(?::\d+)?$")

Mend = Callable[[Revision, Path, Object, str], bool]
"""Changes a container as its pod had it, given the telling line; False where the change is not known."""


def of_container(code: str, root: Object, pod: Object, container: Object, line: str, around: Surroundings) -> str:
    """The command for a failure of ``code``; empty where there is none."""
    if code == codes.DISK_FULL:
        return full_disk.remedy(root, pod, container, line, around)
    revision, mend = Revision(root), _BY_CODE.get(code)
    paths = revision.containers(pod, container.get("name", ""))
    if mend is None or not paths or not all(mend(revision, path, container, line) for path in paths):
        return ""
    return revision.command(around)


def resources_of(container: Object) -> Any:
    """A copy that may be changed."""
    resources = container.get("resources") or {}
    return {word: dict(resources[word]) for word in ("requests", "limits") if resources.get(word)}


def _more_memory(revision: Revision, path: Path, container: Object, line: str) -> bool:
    resources = resources_of(container)
    limit = (resources.get("limits") or {}).get("memory")
    if not limit:
        return False
    resources["limits"]["memory"] = quantity.binary(int(quantity.parse(limit) * MORE_MEMORY))
    revision.set_in_container(path, "resources", resources)
    return True


def _shared_memory(revision: Revision, path: Path, container: Object, line: str) -> bool:
    """Mounts memory at ``/dev/shm``, where the job itself carries its pods' template."""
    if path == TRAINER:
        return False
    volume = {"name": "shared-memory", "emptyDir": {"medium": "Memory"}}
    revision.append((*path[:-2], "volumes"), volume)
    revision.append((*path, "volumeMounts"), {"name": "shared-memory", "mountPath": "/dev/shm"})
    return True


def _install(revision: Revision, path: Path, container: Object, line: str) -> bool:
    """Before the command is started, as the SDK's ``packages_to_install`` does."""
    found, command = _MODULE.search(line), command_of(container)
    if not found or not command:
        return False
    package = PACKAGES.get(found.group(1), found.group(1).replace("_", "-"))
    first = f'python -m pip install {package} && exec "$0" "$@"'
    _run(revision, path, container, ["sh", "-c", first, *command])
    return True


def _spell(revision: Revision, path: Path, container: Object, line: str) -> bool:
    """A whole command line as one word, or a ``python`` that is called ``python3``."""
    command = command_of(container)
    if command and " " in command[0]:
        _run(revision, path, container, [*shlex.split(command[0]), *command[1:]])
    elif command and command[0] == "python":
        _run(revision, path, container, ["python3", *command[1:]])
    else:
        return False
    return True


def _home(revision: Revision, path: Path, container: Object, line: str) -> bool:
    if not _HOME.search(line):
        return False
    kept = [variable for variable in container.get("env") or () if variable["name"] != "HOME"]
    written = [variable for variable in kept if not str(variable["name"]).startswith(("PET_", "JOB_COMPLETION_INDEX"))]
    revision.set_in_container(path, "env", [*written, {"name": "HOME", "value": "/tmp"}])
    return True


def _as_many_processes_as_gpus(revision: Revision, path: Path, container: Object, line: str) -> bool:
    gpus = gpus_of(container)
    if gpus and path == TRAINER:
        revision.set((*path, "numProcPerNode"), gpus)
        return True
    return bool(gpus) and _word(revision, path, container, _PROCESSES, f"--nproc-per-node={gpus}")


def nodes(revision: Revision, path: Path, container: Object, pods: int) -> bool:
    """``--nnodes`` of torchrun to the number of pods that there are."""
    return _word(revision, path, container, _NODES, f"--nnodes={pods}")


def nodes_told(container: Object) -> int | None:
    """What ``--nnodes`` says."""
    return next((int(m.group(1)) for word in command_of(container) if (m := _NODES.match(word))), None)


def gpus_of(container: Object) -> int:
    limits = (container.get("resources") or {}).get("limits") or {}
    return sum(int(quantity.parse(amount)) for name, amount in limits.items() if name.endswith("/gpu"))


def memory_limit_of(container: Object) -> str:
    """Empty where it has none."""
    return str(((container.get("resources") or {}).get("limits") or {}).get("memory") or "")


def _word(revision: Revision, path: Path, container: Object, pattern: re.Pattern[str], word: str) -> bool:
    """Puts ``word`` in the place of the first that matches."""
    for field in ("command", "args"):
        for index, given in enumerate(container.get(field) or ()):
            if pattern.match(given):
                words = [*container[field]]
                words[index] = word
                revision.set_in_container(path, field, words)
                return True
    return False


def command_of(container: Object) -> list[str]:
    """The words that start a container, as far as its job says them."""
    return [*(container.get("command") or ()), *(container.get("args") or ())]


def _run(revision: Revision, path: Path, container: Object, command: list[str]) -> None:
    revision.set_in_container(path, "command", command)
    if container.get("args"):
        revision.set_in_container(path, "args", [])


_BY_CODE: dict[str, Mend] = {
    codes.OUT_OF_MEMORY: _more_memory,
    codes.SHARED_MEMORY_FULL: _shared_memory,
    codes.NO_MODULE: _install,
    codes.NO_COMMAND: _spell,
    codes.PERMISSION_DENIED: _home,
    codes.NO_SUCH_GPU: _as_many_processes_as_gpus,
    codes.CUDA_OUT_OF_MEMORY: gpu_memory.mend,
}
