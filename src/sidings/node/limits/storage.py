"""Disk that a pod uses, and the eviction of one that uses too much.

No quota is set up anywhere: usage is measured every so often, as kubelet does without project quotas, and a pod over a
limit is evicted. Order and messages are those of kubelet's eviction manager (``pkg/kubelet/eviction``, v1.36). Volumes
in memory are not counted: their tmpfs holds to the limit by itself.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sidings.api import quantity
from sidings.api.objects import Object
from sidings.node.volumes import empty_dir

EVICTED = "Evicted"
GRACE_SECONDS = 1.0
"""What an evicted pod gets to stop (kubelet's ``immediateEvictionGracePeriodSeconds``)."""
_BLOCK_BYTES = 512


class Usage(NamedTuple):
    """Bytes on disk: of each emptyDir by name; of each container by name, with its logs."""

    empty_dirs: Mapping[str, int]
    containers: Mapping[str, int]


def has_limits(pod: Object) -> bool:
    """Whether there is anything to measure."""
    return bool(dict(_volume_limits(pod)) or dict(_container_limits(pod)))


def measure(pod: Object, directory: Path) -> Usage:
    """Look at everything below the pod's ``directory``; takes as long as that is large."""
    spec = pod["spec"]
    names = [container["name"] for container in (*(spec.get("initContainers") or ()), *spec["containers"])]
    volumes = [volume["name"] for volume in spec.get("volumes") or () if volume.get("emptyDir") is not None]
    return Usage(
        {name: _size(directory / "volumes" / "empty" / name) for name in volumes},
        {name: _size(directory / "containers" / name) + _size(directory / "logs" / name) for name in names},
    )


def excess(pod: Object, usage: Usage) -> str:
    """What is over its limit, in kubelet's words; "" if nothing is."""
    for name, limit in _volume_limits(pod):
        if usage.empty_dirs.get(name, 0) > quantity.parse(limit):
            return f'Usage of EmptyDir volume "{name}" exceeds the limit "{limit}". '
    limits = dict(_container_limits(pod))
    if limits:
        total = functools.reduce(quantity.add, limits.values())
        if sum(usage.containers.values()) + sum(usage.empty_dirs.values()) > quantity.parse(total):
            return f"Pod ephemeral local storage usage exceeds the total limit of containers {total}. "
    for name, limit in limits.items():
        if usage.containers.get(name, 0) > quantity.parse(limit):
            return f'Container {name} exceeded its local ephemeral storage limit "{limit}". '
    return ""


def _volume_limits(pod: Object) -> Iterator[tuple[str, str]]:
    for volume in pod["spec"].get("volumes") or ():
        source = volume.get("emptyDir") or {}
        if not empty_dir.in_memory(source) and source.get("sizeLimit"):
            yield volume["name"], str(source["sizeLimit"])


def _container_limits(pod: Object) -> Iterator[tuple[str, str]]:
    for container in pod["spec"]["containers"]:
        limit = ((container.get("resources") or {}).get("limits") or {}).get("ephemeral-storage")
        if limit is not None:
            yield container["name"], str(limit)


def _size(directory: Path) -> int:
    """Bytes on disk below ``directory``; what vanishes or is closed to us meanwhile counts nothing."""
    total = 0
    for folder, names, files in os.walk(directory):
        for name in (*names, *files):
            with contextlib.suppress(OSError):
                total += Path(folder, name).lstat().st_blocks * _BLOCK_BYTES
    return total
