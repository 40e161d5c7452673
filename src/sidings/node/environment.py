"""A container's environment. Pure: kubelet's rules over what was found in the API.

Order: variables about Services, what every container gets, ``envFrom``, then ``env`` one by one, each of which may
mention earlier ones as ``$(NAME)``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sidings.api import quantity
from sidings.api.objects import Object, namespace_of
from sidings.node import dns, downward, software
from sidings.node.errors import ConfigMissing
from sidings.node.gpus.manager import visible_devices
from sidings.node.gpus.resources import GPU, wanted
from sidings.node.gpus.source import Unit
from sidings.node.sandbox.rootfs import HOME
from sidings.node.sources import Sources

_REFERENCE = re.compile(r"\$\$|\$\(([^()$]+)\)")
_PROCESSES = "PET_NPROC_PER_NODE"
"""torchrun's --nproc-per-node, set by Trainer."""


@dataclass(frozen=True)
class NodeFacts:
    """What a container can learn about where it runs."""

    addresses: Mapping[str, str]
    """``status.podIP`` and the like -> value."""
    allocatable: Mapping[str, str]
    simulated_gpus: bool
    cores: int
    """Of the machine, which may be fewer than the node advertises."""
    share: int | None = None
    """How many of them are this node's, where several logical nodes share the machine."""
    units: tuple[Unit, ...] = ()
    """GPUs of the container."""
    driver_folder: str = ""
    """``Driver.folder``."""


def resolve(
    container: Object,
    pod: Object,
    sources: Sources,
    node: NodeFacts,
    prefix: Path | None,
    services: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Every variable of ``container``, beside those of its image (``prefix`` None). Raises ``ConfigMissing``.

    ``services``: the variables about Services.
    """
    variables = {**services, **_given(container, pod, node, prefix)}
    for source in container.get("envFrom") or ():
        variables |= _all_of(source, sources)
    for variable in container.get("env") or ():
        value = _value(variable, container, pod, sources, node, variables)
        if value is not None:
            variables[variable["name"]] = value
    if node.simulated_gpus and variables.get(_PROCESSES) == "auto" and (gpus := wanted(container).get(GPU)):
        # On the real thing "auto" counts the devices that the pod sees; here it sees none.
        variables[_PROCESSES] = str(gpus)
    return variables


def arguments(container: Object, variables: Mapping[str, str]) -> tuple[str, ...]:
    """``command`` and ``args`` with ``$(NAME)`` expanded. Args alone are a command: no image, no entrypoint."""
    words = [*(container.get("command") or ()), *(container.get("args") or ())]
    return tuple(expand(str(word), variables) for word in words)


def expand(text: str, variables: Mapping[str, str]) -> str:
    """``$(NAME)`` becomes its value, ``$$(NAME)`` the text ``$(NAME)``; an unknown name stays as it is written."""

    def replace(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        return variables.get(match[1], match[0])

    return _REFERENCE.sub(replace, text)


def _given(container: Object, pod: Object, node: NodeFacts, prefix: Path | None) -> dict[str, str]:
    """What every container gets; a manifest may override each of them.

    CUDA_VISIBLE_DEVICES is empty for pods without devices of their own, so that nobody takes a GPU that was given to
    another pod. OMP_NUM_THREADS follows a cpu limit: a thread per core of the machine would run into the quota or,
    where none is kept, slow other pods down (two ranks on two cores trained at half the speed). Without a limit it is
    the node's share of the machine; a node that has the machine to itself leaves it unset, as on a cluster.
    """
    given = {"HOSTNAME": dns.host_name(pod), **visible_devices(node.units)}
    if prefix is not None:  # else the image knows better
        given |= {"PATH": software.search_path(prefix), "HOME": HOME}
        if node.units and node.driver_folder:
            given["LD_LIBRARY_PATH"] = node.driver_folder
    limit = ((container.get("resources") or {}).get("limits") or {}).get("cpu")
    if limit:
        given["OMP_NUM_THREADS"] = str(max(1, min(math.floor(quantity.parse(limit)), node.cores)))
    elif node.share:
        given["OMP_NUM_THREADS"] = str(node.share)
    return given


def _all_of(source: Mapping[str, Any], sources: Sources) -> dict[str, str]:
    prefix = source.get("prefix") or ""
    data: dict[str, bytes] = {}
    if reference := source.get("configMapRef"):
        data = sources.config_map(reference["name"], optional=bool(reference.get("optional"))) or {}
    elif reference := source.get("secretRef"):
        data = sources.secret(reference["name"], optional=bool(reference.get("optional"))) or {}
    return {prefix + key: value.decode(errors="replace") for key, value in data.items() if "=" not in key}


def _value(
    variable: Mapping[str, Any],
    container: Object,
    pod: Object,
    sources: Sources,
    node: NodeFacts,
    before: Mapping[str, str],
) -> str | None:
    """The value of one entry of ``env``; None where an optional source is absent, so that it is not set at all."""
    origin = variable.get("valueFrom")
    if not origin:
        return expand(str(variable.get("value") or ""), before)
    if reference := origin.get("fieldRef"):
        return downward.field_value(pod, reference["fieldPath"], node.addresses)
    if reference := origin.get("resourceFieldRef"):
        return downward.resource_value(_named(pod, reference, container), reference, node.allocatable)
    if reference := origin.get("configMapKeyRef"):
        found = sources.config_map(reference["name"], optional=bool(reference.get("optional")))
        return _key(found, reference, "ConfigMap", pod)
    reference = origin["secretKeyRef"]
    return _key(sources.secret(reference["name"], optional=bool(reference.get("optional"))), reference, "Secret", pod)


def _key(data: Mapping[str, bytes] | None, reference: Mapping[str, Any], kind: str, pod: Object) -> str | None:
    if data is None:
        return None
    key = reference["key"]
    if key in data:
        return data[key].decode(errors="replace")
    if reference.get("optional"):
        return None
    raise ConfigMissing(f"couldn't find key {key} in {kind} {namespace_of(pod)}/{reference['name']}")


def _named(pod: Object, reference: Mapping[str, Any], default: Object) -> Object:
    containers: Sequence[Object] = [*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]]
    name = reference.get("containerName")
    return next((container for container in containers if container["name"] == name), default)
