"""The ConfigMaps and Secrets that a pod names, read once before its containers are prepared.

Which ones is decided here, so that resolving environments and volumes is a pure function over what was found.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sidings.api.objects import Object, namespace_of
from sidings.api.resources import CONFIG_MAPS, SECRETS
from sidings.api.status import NotFound
from sidings.client.interface import Client
from sidings.node.errors import ConfigMissing


@dataclass(frozen=True)
class Sources:
    """What was found in the pod's namespace, by name."""

    config_maps: Mapping[str, Object] = field(default_factory=dict)
    secrets: Mapping[str, Object] = field(default_factory=dict)

    def config_map(self, name: str, *, optional: bool) -> dict[str, bytes] | None:
        """Keys and contents; None for an absent optional one. Raises ``ConfigMissing`` in kubelet's words."""
        found = self.config_maps.get(name)
        if found is None:
            if optional:
                return None
            raise ConfigMissing(
                f'configmap "{name}" not found', remedy=f"kubectl create configmap {name} --from-file=..."
            )
        data = {key: value.encode() for key, value in (found.get("data") or {}).items()}
        return data | {key: base64.b64decode(value) for key, value in (found.get("binaryData") or {}).items()}

    def secret(self, name: str, *, optional: bool) -> dict[str, bytes] | None:
        found = self.secrets.get(name)
        if found is None:
            if optional:
                return None
            raise ConfigMissing(f'secret "{name}" not found', remedy=f"kubectl create secret generic {name} ...")
        return {key: base64.b64decode(value) for key, value in (found.get("data") or {}).items()}


async def load(client: Client, pod: Object) -> Sources:
    """Read everything that ``pod`` refers to; what is not there is left out."""
    config_maps: dict[str, Object] = {}
    secrets: dict[str, Object] = {}
    for kind, name in references(pod):
        into, resource = (config_maps, CONFIG_MAPS) if kind == "configMap" else (secrets, SECRETS)
        if name in into:
            continue
        try:
            into[name] = await client.get(resource, name, namespace_of(pod))
        except NotFound:
            continue
    return Sources(config_maps, secrets)


def references(pod: Object) -> Iterator[tuple[str, str]]:
    """("configMap" | "secret", name) for each mention in environments and volumes."""
    spec = pod["spec"]
    for container in (*(spec.get("initContainers") or ()), *spec["containers"]):
        for source in container.get("envFrom") or ():
            yield from _named(source, "configMapRef", "secretRef", "name")
        for variable in container.get("env") or ():
            yield from _named(variable.get("valueFrom") or {}, "configMapKeyRef", "secretKeyRef", "name")
    for volume in spec.get("volumes") or ():
        yield from _of_volume(volume)
        for source in (volume.get("projected") or {}).get("sources") or ():
            yield from _named(source, "configMap", "secret", "name")


def _of_volume(volume: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "configMap" in volume:
        yield "configMap", volume["configMap"]["name"]
    if "secret" in volume:
        yield "secret", volume["secret"]["secretName"]


def _named(source: Mapping[str, Any], config_map: str, secret: str, key: str) -> Iterator[tuple[str, str]]:
    if source.get(config_map):
        yield "configMap", source[config_map][key]
    if source.get(secret):
        yield "secret", source[secret][key]
