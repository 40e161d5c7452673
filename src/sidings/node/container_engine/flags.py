"""What a container engine is told of a container's resources, devices and security. Pure.

Numbers are kubelet's (``limits.requirements`` has their source); a field that says nothing leaves the engine's default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sidings.api.objects import Object
from sidings.node.container_engine.image import Image
from sidings.node.errors import ConfigMissing
from sidings.node.gpus.source import Unit
from sidings.node.limits.requirements import PERIOD_MICROSECONDS, quota, requirements, shares

CDI_KIND = "nvidia.com/gpu"
"""The kind of device that NVIDIA's toolkit writes into /etc/cdi; devices are named by index and by UUID."""


def flags(pod: Object, container: Object, image: Image, units: Sequence[Unit]) -> tuple[str, ...]:
    """Raises ``ConfigMissing`` for a user that ``runAsNonRoot`` does not allow."""
    return (*_limits(container), *_devices(units), *_security(pod, container, image), *_labels(pod, container))


def _limits(container: Object) -> Iterable[str]:
    wanted = requirements(container)
    yield from ("--cpu-shares", str(shares(wanted.cpu_request)))
    if wanted.cpu is not None:
        yield from ("--cpu-period", str(PERIOD_MICROSECONDS), "--cpu-quota", str(quota(wanted.cpu)))
    if wanted.memory is not None:
        yield from ("--memory", str(wanted.memory), "--memory-swap", str(wanted.memory))


def _devices(units: Iterable[Unit]) -> Iterable[str]:
    for unit in units:
        yield from ("--device", f"{CDI_KIND}={unit.uuid}")


def _labels(pod: Object, container: Object) -> Iterable[str]:
    """Those that runtimes of clusters set, by which people find a pod's containers."""
    named = {
        "io.kubernetes.pod.name": pod["metadata"]["name"],
        "io.kubernetes.pod.namespace": pod["metadata"].get("namespace") or "default",
        "io.kubernetes.pod.uid": pod["metadata"]["uid"],
        "io.kubernetes.container.name": container["name"],
    }
    for key, value in named.items():
        yield from ("--label", f"{key}={value}")


def _security(pod: Object, container: Object, image: Image) -> Iterable[str]:
    """The container's ``securityContext`` before the pod's, field by field."""
    of_pod: Mapping[str, Any] = pod["spec"].get("securityContext") or {}
    context: Mapping[str, Any] = {**of_pod, **(container.get("securityContext") or {})}
    user, group = context.get("runAsUser"), context.get("runAsGroup")
    if context.get("runAsNonRoot"):
        _refuse_root(user, image)
    if user is not None or group is not None:
        who = str(user) if user is not None else image.user.partition(":")[0] or "0"
        yield from ("--user", who if group is None else f"{who}:{group}")
    groups = [*(of_pod.get("supplementalGroups") or ()), *([of_pod["fsGroup"]] if of_pod.get("fsGroup") else ())]
    for number in groups:
        yield from ("--group-add", str(number))
    if context.get("privileged"):
        yield "--privileged"
    for capability in (context.get("capabilities") or {}).get("drop") or ():
        yield from ("--cap-drop", capability)
    for capability in (context.get("capabilities") or {}).get("add") or ():
        yield from ("--cap-add", capability)
    if context.get("allowPrivilegeEscalation") is False:
        yield from ("--security-opt", "no-new-privileges")
    if (context.get("seccompProfile") or {}).get("type") == "Unconfined":
        yield from ("--security-opt", "seccomp=unconfined")


def _refuse_root(user: int | None, image: Image) -> None:
    """kubelet's check (v1.36: ``pkg/kubelet/kuberuntime/security_context.go``), in its words."""
    if user is not None:
        if user == 0:
            raise ConfigMissing("container's runAsUser breaks non-root policy")
        return
    name = image.user.partition(":")[0]
    if name.isdecimal() and int(name) != 0:
        return
    if name in ("", "0", "root"):
        raise ConfigMissing("container has runAsNonRoot and image will run as root")
    raise ConfigMissing(
        f"container has runAsNonRoot and image has non-numeric user ({name}), cannot verify user is non-root"
    )
