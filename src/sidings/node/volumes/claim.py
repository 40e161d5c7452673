"""``persistentVolumeClaim`` volumes: a claim's volume is a directory of this machine.

The binder names the directory in the PersistentVolume. It lies below the agent's claims folder and goes when its claim
is finally gone, not when a pod is; a volume made by hand may name any other directory that a hostPath may.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from pathlib import Path

from sidings.api.objects import Object, name_of
from sidings.api.resources import CLAIMS, VOLUMES
from sidings.api.status import NotFound
from sidings.client.interface import Client
from sidings.node import folders
from sidings.node.errors import VolumeError
from sidings.node.volumes import host_path

log = logging.getLogger(__name__)


async def volume_of(client: Client, namespace: str, claim: str) -> Object:
    """The PersistentVolume bound to a claim. Raises ``VolumeError`` where there is none (yet)."""
    try:
        found = await client.get(CLAIMS, claim, namespace)
    except NotFound as error:
        raise VolumeError(
            f'persistentvolumeclaim "{claim}" not found', remedy=f"kubectl apply a claim {claim} in {namespace}"
        ) from error
    name = (found.get("spec") or {}).get("volumeName")
    if (found.get("status") or {}).get("phase") != "Bound" or not name:
        raise VolumeError(f'PVC "{namespace}/{claim}" is not bound')
    try:
        return await client.get(VOLUMES, name)
    except NotFound as error:
        raise VolumeError(f'PersistentVolume "{name}" of claim "{claim}" not found') from error


def source(volume: Object, root: Path, secrets: Iterable[Path]) -> Path:
    """The directory behind a PersistentVolume, made where missing; ``root`` is the agent's claims folder."""
    spec = volume["spec"]
    wanted = spec.get("hostPath") or spec.get("local")
    if wanted is None:
        raise VolumeError(f'PersistentVolume "{name_of(volume)}" is neither hostPath nor local')
    path = Path(wanted["path"])
    if path.parent == root:
        path.mkdir(parents=True, exist_ok=True)
        return path
    return host_path.source(wanted, secrets)


def remove(root: Path, uid: str) -> None:
    """Delete the directory of the claim ``uid``, whose object is finally gone."""
    for directory in root.glob(f"*_{uid}"):
        folders.remove(directory)
        log.info("removed the files of claim %s", directory.name)


def sweep(root: Path, living: Collection[str]) -> None:
    """Delete directories of claims that went while no agent looked; ``living`` are the uids that exist."""
    if root.exists():
        for directory in root.iterdir():
            uid = directory.name.rpartition("_")[2]
            if uid not in living:
                remove(root, uid)
