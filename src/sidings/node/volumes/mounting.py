"""From ``spec.volumes`` and ``volumeMounts`` to directories and binds.

``load`` reads what the volumes name, ``materialise`` makes the directories, ``binds`` says what a container mounts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from sidings.api.objects import Object, namespace_of
from sidings.api.status import ApiError
from sidings.client.interface import Client
from sidings.node import sources
from sidings.node.environment import NodeFacts, expand
from sidings.node.errors import ConfigMissing, VolumeError
from sidings.node.sandbox.spec import Bind, MemoryVolume
from sidings.node.sources import Sources
from sidings.node.volumes import claim, config_map, downward_api, empty_dir, host_path, projected, secret
from sidings.node.volumes.files import Files, write
from sidings.node.volumes.tokens import PodTokens

SUPPORTED = ("configMap", "secret", "emptyDir", "hostPath", "persistentVolumeClaim", "downwardAPI", "projected")

_OF_KEYS = frozenset(("configMap", "secret", "downwardAPI", "projected"))


@dataclass(frozen=True)
class Inputs:
    """Everything that a pod's environments and volumes need from the API."""

    sources: Sources = field(default_factory=Sources)
    claims: Mapping[str, Object] = field(default_factory=dict)
    """Claim name -> its PersistentVolume."""
    tokens: projected.Tokens = field(default_factory=dict)


@dataclass(frozen=True)
class Mounted:
    """A volume on this machine."""

    source: Path
    read_only: bool = False


@dataclass(frozen=True)
class PodVolumes:
    mounted: Mapping[str, Mounted]
    """By the volume's name."""
    memory: tuple[MemoryVolume, ...] = ()


def has_keys(pod: Object) -> bool:
    """Whether ``pod`` has volumes whose files may change while it runs."""
    return any(not _OF_KEYS.isdisjoint(volume) for volume in pod["spec"].get("volumes") or ())


async def load(client: Client, pod: Object, tokens: PodTokens) -> Inputs:
    """Read ConfigMaps, Secrets, claims and tokens. Raises ``VolumeError`` for a claim or token not to be had."""
    found = await sources.load(client, pod)
    claims: dict[str, Object] = {}
    for volume in pod["spec"].get("volumes") or ():
        if wanted := volume.get("persistentVolumeClaim"):
            name = wanted["claimName"]
            claims[name] = await claim.volume_of(client, namespace_of(pod), name)
    try:
        return Inputs(found, claims, await tokens.texts(pod))
    except ApiError as error:
        raise VolumeError("failed to fetch token", cause=error.message) from error


def rewrite(pod: Object, inputs: Inputs, node: NodeFacts, directory: Path) -> None:
    """Write the volumes made of keys anew, as ``materialise`` has made them below ``directory``; the files change, for
    whoever has them mounted, all at once."""
    for volume in pod["spec"].get("volumes") or ():
        if (files := _named_files(volume, pod, inputs, node)) is not None:
            write(_files_directory(directory, volume), files)


def materialise(
    pod: Object, inputs: Inputs, node: NodeFacts, directory: Path, claims_root: Path, secrets: Iterable[Path]
) -> PodVolumes:
    """Make every volume of ``pod`` below ``directory``; raises ``VolumeError``."""
    secrets = tuple(secrets)
    mounted: dict[str, Mounted] = {}
    memory: list[MemoryVolume] = []
    for volume in pod["spec"].get("volumes") or ():
        name = volume["name"]
        if (files := _named_files(volume, pod, inputs, node)) is not None:
            target = _files_directory(directory, volume)
            write(target, files)
            mounted[name] = Mounted(target, read_only=True)
        elif "emptyDir" in volume:
            target = directory / "empty" / name
            target.mkdir(parents=True, exist_ok=True)
            target.chmod(0o777)
            if empty_dir.in_memory(volume["emptyDir"] or {}):
                memory.append(MemoryVolume(str(target), empty_dir.size_bytes(volume["emptyDir"])))
            mounted[name] = Mounted(target)
        elif "hostPath" in volume:
            mounted[name] = Mounted(host_path.source(volume["hostPath"], secrets))
        elif wanted := volume.get("persistentVolumeClaim"):
            source = claim.source(inputs.claims[wanted["claimName"]], claims_root, secrets)
            mounted[name] = Mounted(source, read_only=bool(wanted.get("readOnly")))
        else:
            kinds = ", ".join(sorted(set(volume) - {"name"})) or "none"
            raise VolumeError(
                f'volume "{name}" has an unsupported type: {kinds}', remedy=f"supported are {', '.join(SUPPORTED)}"
            )
    return PodVolumes(mounted, tuple(memory))


def _files_directory(directory: Path, volume: Mapping[str, Any]) -> Path:
    return directory / "files" / str(volume["name"])


def _named_files(volume: Mapping[str, Any], pod: Object, inputs: Inputs, node: NodeFacts) -> Files | None:
    """``_files``, with the volume named in the error as kubelet names it."""
    try:
        return _files(volume, pod, inputs, node)
    except ConfigMissing as error:
        what = f'MountVolume.SetUp failed for volume "{volume["name"]}" : {error.what}'
        raise VolumeError(what, cause=error.cause, remedy=error.remedy) from error


def _files(volume: Mapping[str, Any], pod: Object, inputs: Inputs, node: NodeFacts) -> Files | None:
    """The content of a volume made of keys; None for any other type."""
    if "configMap" in volume:
        return config_map.files(volume["configMap"], inputs.sources)
    if "secret" in volume:
        return secret.files(volume["secret"], inputs.sources)
    if "downwardAPI" in volume:
        return downward_api.files(volume["downwardAPI"], pod, node)
    if "projected" in volume:
        return projected.files(volume["projected"], pod, inputs.sources, node, inputs.tokens)
    return None


def binds(container: Object, volumes: PodVolumes, variables: Mapping[str, str]) -> tuple[Bind, ...]:
    """What ``container`` mounts; raises ``VolumeError`` for a path that leaves its volume."""
    made: list[Bind] = []
    for mount in container.get("volumeMounts") or ():
        target = str(PurePosixPath("/", mount["mountPath"]))
        if target == empty_dir.SHARED_MEMORY:
            continue  # the job's shared memory is there already
        volume = volumes.mounted[mount["name"]]
        read_only = volume.read_only or bool(mount.get("readOnly"))
        made.append(Bind(str(volume.source), target, read_only, _sub_path(mount, variables)))
    return tuple(made)


def _sub_path(mount: Mapping[str, Any], variables: Mapping[str, str]) -> str:
    path = str(mount.get("subPath") or "")
    if expression := mount.get("subPathExpr"):
        path = expand(expression, variables)
        if "$(" in path:
            raise VolumeError(f"subPathExpr {expression!r} names a variable that the container does not have")
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts:
        raise VolumeError(f"subPath {path!r} is refused", cause="it must be relative and must not contain '..'")
    return path
