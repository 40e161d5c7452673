"""The JobSet that a script becomes on an engine of this machine: a pod per rank, each with one process of torchrun.

Pods see the folders of the run, of the script and of what it reads at their own paths, so that its arguments stay as
they are. Nothing is tried again but by the JobSet (``backoffLimit: 0``): the first pod that is lost restarts all.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS
from sidings.verify_resume import losses
from sidings.verify_resume.places import Place

LOG, OUTPUT = "losses.log", "output.log"
"""In the run's folder: of all ranks and starts."""
_GROUP = "node"
_PORT = "29500"
_RESTARTS = 1_000_000
"""More than there are interruptions: a restart that was not asked for ends the verification anyway."""
_GRACE = 60  # seconds
_DATA_CONNECTION = "s3"
"""The Secret of the S3 in the box; the user's own variables come before it."""
_INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"


def job_set(name: str, script: Path, place: Place, ranks: int, environ: Mapping[str, str]) -> Object:
    """``script`` in ``place`` with ``ranks`` pods; ``environ`` is the user's."""
    shared = _outermost([place.folder, *place.searched, script.parent, *place.read, *_imported()])
    volumes = [{"name": f"v{number}", "hostPath": {"path": str(path)}} for number, path in enumerate(shared)]
    mounts = [{"name": f"v{number}", "mountPath": str(path)} for number, path in enumerate(shared)]
    container: dict[str, Any] = {
        "name": "script",
        "image": "python",
        "workingDir": str(place.folder),
        "command": ["sh", "-c", f'exec "$@" >> {OUTPUT} 2>&1', "sh", "torchrun", str(script), *place.arguments],
        "env": _environment(name, place, ranks, environ),
        "volumeMounts": mounts,
    }
    if place.bucket:
        container["envFrom"] = [{"secretRef": {"name": _DATA_CONNECTION, "optional": True}}]
    pod = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": _GRACE,
        "containers": [container],
        "volumes": volumes,
    }
    job = {
        "completionMode": "Indexed",
        "parallelism": ranks,
        "completions": ranks,
        "backoffLimit": 0,
        "template": {"spec": pod},
    }
    return {
        "apiVersion": JOB_SETS.api_version,
        "kind": JOB_SETS.kind,
        "metadata": {"name": name},
        "spec": {
            "failurePolicy": {"maxRestarts": _RESTARTS},
            "replicatedJobs": [{"name": _GROUP, "template": {"spec": job}}],
        },
    }


def _environment(name: str, place: Place, ranks: int, environ: Mapping[str, str]) -> list[dict[str, Any]]:
    """torchrun's variables, and what makes the sums of two runs comparable: as many threads in both."""
    values = {
        "PET_NNODES": str(ranks),
        "PET_NPROC_PER_NODE": "1",
        "PET_MASTER_ADDR": f"{name}-{_GROUP}-0-0.{name}",
        "PET_MASTER_PORT": _PORT,
        "OMP_NUM_THREADS": environ.get("OMP_NUM_THREADS", "1"),
        "PYTHONUNBUFFERED": "1",
        losses.VARIABLE: str(place.folder / LOG),
    }
    values |= {key: environ[key] for key in environ if key == "PYTHONPATH" or (place.bucket and key.startswith("AWS_"))}
    rank = {"name": "PET_NODE_RANK", "valueFrom": {"fieldRef": {"fieldPath": _INDEX}}}
    return [*({"name": key, "value": value} for key, value in values.items()), rank]


def _imported() -> Iterable[Path]:
    """What this Python imports from outside of its own prefix, such as a checkout that was installed editable."""
    for entry in map(Path, filter(None, sys.path)):
        if entry.is_dir() and not any(entry.is_relative_to(prefix) for prefix in (sys.prefix, sys.base_prefix)):
            yield entry


def _outermost(paths: Iterable[Path]) -> Sequence[Path]:
    """Without those that lie in another one of them."""
    every = dict.fromkeys(paths)
    return [path for path in every if not any(other in path.parents for other in every)]
