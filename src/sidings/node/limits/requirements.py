"""From a container's requests and limits to control group settings. Pure.

The numbers are kubelet's (``pkg/kubelet/cm/helpers_linux.go``, v1.36): cpu shares of 1024 per core and a quota per
100 ms; version 2's weights by its formula. Swap is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from sidings.api import quantity
from sidings.api.objects import Object
from sidings.node.limits.enforcement import Enforcement
from sidings.node.sandbox.cgroups import Group

PIDS = 16384
"""Processes and threads of one container. OpenShift's 4096 holds on machines that are smaller than some of ours: eight
ranks with a thread per core and loader workers pass it."""
PERIOD_MICROSECONDS = 100_000
_MINIMUM_QUOTA = 1000
_MINIMUM_SHARES, _MAXIMUM_SHARES = 2, 262144


class Requirements(NamedTuple):
    """Cores asked for and allowed; bytes allowed. None: as much as there is."""

    cpu_request: Decimal | None
    cpu: Decimal | None
    memory: int | None


def requirements(container: Object) -> Requirements:
    resources = container.get("resources") or {}
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    cpu, asked = limits.get("cpu"), requests.get("cpu", limits.get("cpu"))
    memory = limits.get("memory")
    return Requirements(
        quantity.parse(asked) if asked is not None else None,
        quantity.parse(cpu) if cpu is not None else None,
        quantity.units(memory) if memory is not None else None,
    )


def groups(wanted: Requirements, name: str, enforcement: Enforcement) -> tuple[Group, ...]:
    """The control groups called ``name`` that hold a container to ``wanted``."""
    settings = _version_1(wanted) if enforcement.version == 1 else _version_2(wanted)
    made: dict[Path, dict[str, str]] = {}
    for controller, parent in enforcement.parents.items():
        made.setdefault(parent / name, {}).update(settings[controller])
    return tuple(Group(str(directory), tuple(values.items())) for directory, values in made.items())


def _version_1(wanted: Requirements) -> Mapping[str, Mapping[str, str]]:
    cpu = {"cpu.shares": str(shares(wanted.cpu_request))}
    if wanted.cpu is not None:
        cpu |= {"cpu.cfs_period_us": str(PERIOD_MICROSECONDS), "cpu.cfs_quota_us": str(quota(wanted.cpu))}
    memory = {}
    if wanted.memory is not None:
        memory = dict.fromkeys(("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"), str(wanted.memory))
    return {"cpu": cpu, "memory": memory, "pids": {"pids.max": str(PIDS)}}


def _version_2(wanted: Requirements) -> Mapping[str, Mapping[str, str]]:
    weight = shares(wanted.cpu_request)
    cpu = {"cpu.weight": str(1 + (weight - _MINIMUM_SHARES) * 9999 // (_MAXIMUM_SHARES - _MINIMUM_SHARES))}
    if wanted.cpu is not None:
        cpu["cpu.max"] = f"{quota(wanted.cpu)} {PERIOD_MICROSECONDS}"
    memory = {"memory.oom.group": "1", "memory.swap.max": "0"}
    if wanted.memory is not None:
        memory["memory.max"] = str(wanted.memory)
    return {"cpu": cpu, "memory": memory, "pids": {"pids.max": str(PIDS)}}


def shares(cores: Decimal | None) -> int:
    """1024 for each core that is asked for."""
    return max(_MINIMUM_SHARES, min(int((cores or 0) * 1024), _MAXIMUM_SHARES))


def quota(cores: Decimal) -> int:
    """Microseconds in each period."""
    return max(_MINIMUM_QUOTA, int(cores * PERIOD_MICROSECONDS))
