"""What lets NCCL use NVLink between 1-GPU pods of one job on this machine. Pure.

NCCL takes the fast path (P2P over CUDA memory handles) between two ranks where it believes them to be on one host:
equal host hashes and one /dev/shm. Then it passes the handles over abstract unix sockets, which end at the border of a
network namespace. So for pods with a network of their own the names of these sockets must become files that both see,
and the host hash must say the truth; one without the other turns a slow job into one that crashes at its first
collective. Measured on two H200 (256 MB all-reduce): nothing set 2.6 GB/s, everything 300, no namespaces 298.

Sources: NCCL 2.28.9, ``src/misc/utils.cc`` (host hash), ``src/graph/paths.cc``, ``src/misc/ipcsocket.cc``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SOCKETS_LIBRARY = "/run/sidings/nccl_sockets.so"
"""Where a pod sees the library that makes files of NCCL's abstract sockets."""
SOCKETS_FOLDER = "/dev/shm"
"""The one place that all pods of a job share and no other does."""

_HOST_ID = "NCCL_HOSTID"
_CHOSEN_BY_USER = (_HOST_ID, "NCCL_P2P_DISABLE", "NCCL_CUMEM_ENABLE", "NCCL_IPC_USE_ABSTRACT_SOCKET")
"""Who sets one of these has a plan of their own."""


@dataclass(frozen=True)
class Isolation:
    """What a pod has to itself on this node's tier."""

    network: bool = True
    host_name: bool = True


@dataclass(frozen=True)
class Links:
    """What to add to a container: variables, and whether the library must be there."""

    environment: dict[str, str] = field(default_factory=dict)
    library: bool = False
    reason: str = ""
    """Why NVLink is not kept, where it could be; empty otherwise."""


def links(
    environment: Mapping[str, str],
    *,
    gang: str,
    pod: str,
    whole_gpus: int,
    mig: bool,
    library: bool,
    boot_id: str,
    isolation: Isolation,
) -> Links:
    """The additions for one container.

    ``gang``: the name that all pods of the job share, ``""`` for a pod that has no ``peers``. ``library``: the sockets
    library can be had on this machine. ``whole_gpus``: how many GPUs the container has; with MIG devices or without a
    GPU there is nothing to keep.
    """
    if not gang or not whole_gpus or mig or any(name in environment for name in _CHOSEN_BY_USER):
        return Links()
    host = {_HOST_ID: f"sidings-{boot_id}"}
    if not isolation.network:
        # The sockets reach everybody; only a host name of the pod's own keeps NCCL from seeing that.
        return Links(host if isolation.host_name else {})
    if library:
        before = environment.get("LD_PRELOAD", "")
        preload = f"{SOCKETS_LIBRARY}:{before}" if before else SOCKETS_LIBRARY
        return Links({**host, "LD_PRELOAD": preload, "SIDINGS_NCCL_SOCKETS": SOCKETS_FOLDER}, library=True)
    reason = "there is no C compiler for the library that carries NCCL's sockets between pods; NCCL uses the network"
    if isolation.host_name:
        return Links(reason=reason)
    # Pods that share a host name look like one host to NCCL, which then crashes: each must be a host of its own.
    return Links({_HOST_ID: f"sidings-{pod}"}, reason=reason)
