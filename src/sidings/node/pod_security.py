"""A pod's ``securityContext`` carried out: what the tier can give, and who owns the files of its containers."""

from __future__ import annotations

import os
from pathlib import Path

from sidings.api.objects import Object
from sidings.node import ownership, security
from sidings.node.sandbox.credentials import Credentials
from sidings.node.sandbox.tier import Tier
from sidings.node.security import Means
from sidings.node.volumes.mounting import Mounted, PodVolumes

_OWNED = ("home", "work", "cwd")
"""Private directories of a container; its /tmp is everybody's."""


class PodSecurity:
    """Of one pod, whose state is in ``directory``; claims are in ``claims_root``."""

    def __init__(self, pod: Object, directory: Path, claims_root: Path) -> None:
        self._directory = directory
        self._claims_root = claims_root
        context = pod["spec"].get("securityContext") or {}
        self._group = security.fs_group(pod)
        self._policy = context.get("fsGroupChangePolicy") or ownership.ALWAYS

    def means(self, tier: Tier, shim: int | None) -> Means:
        """What containers can be given; groups and owners only in the machine's own user namespace, as its root."""
        root = os.geteuid() == 0 and shim is not None and _user_namespace(shim) == _user_namespace(os.getpid())
        return Means(tier.namespaces, root and tier.namespaces, os.geteuid(), tier.namespaces)

    def give(self, scratch: Path, credentials: Credentials, means: Means) -> None:
        """Let the container be the owner of its private directories."""
        if means.groups and (credentials.user or credentials.group):
            ownership.give((scratch / part for part in _OWNED), credentials.user, credentials.group)

    def share(self, volumes: PodVolumes, means: Means) -> None:
        """Let ``fsGroup`` use the pod's volumes, but for directories of the machine."""
        if self._group is None or not means.groups:
            return
        for volume in volumes.mounted.values():
            if self._is_ours(volume):
                ownership.share(volume.source, self._group, read_only=volume.read_only, policy=self._policy)

    def share_files(self, files: Path, means: Means) -> None:
        """The same for volumes made of keys that were written anew."""
        if self._group is not None and means.groups:
            ownership.share(files, self._group, read_only=True)

    def _is_ours(self, volume: Mounted) -> bool:
        return any(volume.source.is_relative_to(folder) for folder in (self._directory, self._claims_root))


def in_node_network(pod: Object, tier: Tier) -> bool:
    """``hostNetwork``: the node's own network, which is not the machine's, where nodes have one."""
    return bool(pod["spec"].get("hostNetwork")) and tier.namespaces


def _user_namespace(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/ns/user").readlink())
    except OSError:
        return ""  # it has just ended
