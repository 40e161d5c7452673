"""``emptyDir`` volumes: a directory of the pod's state, or with medium Memory a tmpfs.

One that a container mounts at ``/dev/shm`` is the job's shared memory instead: NCCL uses NVLink and shared memory only
between pods whose ``/dev/shm`` is one and the same file system.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidings.api import quantity

SHARED_MEMORY = "/dev/shm"


def in_memory(source: Mapping[str, Any]) -> bool:
    return source.get("medium") == "Memory"


def size_bytes(source: Mapping[str, Any]) -> int:
    """``sizeLimit`` in bytes; 0 for none. A tmpfs holds to it, a directory is measured."""
    return quantity.units(source.get("sizeLimit") or "0")
