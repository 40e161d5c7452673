"""What a pod's ``securityContext`` means here, or why it cannot be had: pure.

A container's field wins over the pod's. What is refused says so with a way out and the pod waits; nothing that would
weaken the wall around other pods is quietly left out. ``docs/pods.md`` has every field.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sidings.api.objects import Object, name_of, namespace_of, uid_of
from sidings.node import capabilities
from sidings.node.errors import SandboxFailed, SecurityRefused
from sidings.node.sandbox.credentials import DEFAULT_CAPABILITIES, Credentials

NON_ROOT = 1_000_650_000
"""Who a container is that must not be root and does not say who: a user of OpenShift's first namespace range."""
SAFE_SYSCTLS = (
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_wmem",
)
"""Those that kubelet allows unless told otherwise (v1.36)."""
_OF_NAMESPACES = ("runAsGroup", "capabilities", "allowPrivilegeEscalation", "seccompProfile")
"""What only a container in namespaces of its own can be given."""
SYSCTL_FORBIDDEN = "SysctlForbidden"
_HOST = {
    "hostPID": "pods do not see the processes of this machine; remove spec.hostPID",
    "hostIPC": "pods do not share the memory of this machine; remove spec.hostIPC",
    "shareProcessNamespace": "each container has its own processes; remove spec.shareProcessNamespace",
}


@dataclass(frozen=True)
class Means:
    """What the node's tier can give."""

    users: bool = True
    """Containers can be any user; otherwise they are ``own_user``."""
    groups: bool = True
    """Supplementary groups, and the owners of files: only root of the machine has them to give."""
    own_user: int = 0
    """Who runs the engine."""
    network: bool = True
    """Pods have a network of their own."""


def check_pod(pod: Object, means: Means, *, engine: bool = False) -> None:
    """Raises ``SandboxFailed`` for what no pod can have here; ``engine``: where a container engine makes containers."""
    for field, why in _HOST.items():
        if pod["spec"].get(field):
            raise SandboxFailed(f"{field} is not supported", cause=why)
    if engine and pod["spec"].get("hostNetwork"):
        raise SandboxFailed(
            "hostNetwork is not supported", cause="containers of an engine join the pod's network; remove it"
        )
    if sysctls(pod) and not means.network:
        raise SandboxFailed("sysctls are not supported", cause="pods of this node share the machine's network")


def forbidden_sysctl(pod: Object) -> str:
    """Why kubelet would not admit the pod; "" where it would."""
    for name, _ in sysctls(pod):
        if name not in SAFE_SYSCTLS:
            return f'forbidden sysctl: "{name}" not allowlisted'
    return ""


def sysctls(pod: Object) -> tuple[tuple[str, str], ...]:
    """(name with dots, value)"""
    found = (pod["spec"].get("securityContext") or {}).get("sysctls") or ()
    return tuple((str(entry["name"]).replace("/", "."), str(entry["value"])) for entry in found)


def credentials(pod: Object, container: Object, means: Means) -> Credentials:
    """As whom ``container`` runs. Raises ``SecurityRefused``."""
    context = _Context(pod, container)
    user = _user(context, means)
    if context.own("privileged"):
        raise SecurityRefused(
            "privileged containers are not supported",
            cause="root of this machine without a wall; remove securityContext.privileged, or ask for the single "
            "capabilities that it needs",
        )
    if context.own("procMount") == "Unmasked":
        raise SecurityRefused(
            "procMount Unmasked is not supported", cause="it lets root of a pod set kernel parameters; remove it"
        )
    wanted = context.own("capabilities") or {}
    add, drop = wanted.get("add") or (), wanted.get("drop") or ()
    if beyond := capabilities.refused(DEFAULT_CAPABILITIES, add):
        raise SecurityRefused(
            f"capabilities that a container cannot have here: {', '.join(beyond)}",
            cause=f"what can be added: {', '.join(sorted(capabilities.ADDABLE))}",
        )
    return Credentials(
        user=user,
        group=int(context.either("runAsGroup") or 0),
        groups=_groups(pod) if means.groups else (),
        capabilities=capabilities.mask(DEFAULT_CAPABILITIES, add, drop),
        no_new_privileges=context.own("allowPrivilegeEscalation") is False,
        seccomp=_wants_default_profile(context),
    )


def fs_group(pod: Object) -> int | None:
    """The group that a pod's volumes are to belong to."""
    found = (pod["spec"].get("securityContext") or {}).get("fsGroup")
    return None if found is None else int(found)


def users(pod: Object) -> dict[int, int]:
    """User -> group of all containers, as far as they say."""
    found = {}
    for container in (*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]):
        context = _Context(pod, container)
        user = context.either("runAsUser")
        if user is None and context.either("runAsNonRoot"):
            user = NON_ROOT
        if user:
            found[int(user)] = int(context.either("runAsGroup") or 0)
    return found


def without_effect(pod: Object, means: Means) -> Iterator[str]:
    """Paths of fields below ``spec`` that are accepted and change nothing."""
    of_pod = pod["spec"].get("securityContext") or {}
    yield from _labels("securityContext", of_pod)
    beyond = () if means.groups else ("supplementalGroups",)
    beyond = beyond if means.users else (*beyond, "fsGroup", *_OF_NAMESPACES)
    yield from (f"securityContext.{name}" for name in beyond if of_pod.get(name))
    for kind in ("initContainers", "containers"):
        for container in pod["spec"].get(kind) or ():
            path, context = f"{kind}[{container['name']}].securityContext", container.get("securityContext") or {}
            yield from _labels(path, context)
            if not means.users:
                yield from (f"{path}.{name}" for name in _OF_NAMESPACES if context.get(name) not in (None, True))


def _labels(path: str, context: Object) -> Iterator[str]:
    """Fields for other kernels or for security modules that this node does not use."""
    profile = (context.get("appArmorProfile") or {}).get("type") or "Unconfined"
    yield from (f"{path}.{name}" for name in ("seLinuxOptions", "windowsOptions") if context.get(name))
    if profile == "Localhost":
        yield f"{path}.appArmorProfile"


class _Context:
    """The container's and the pod's ``securityContext``."""

    def __init__(self, pod: Object, container: Object) -> None:
        self._pod = pod["spec"].get("securityContext") or {}
        self._container = container.get("securityContext") or {}
        self.where = f'pod: "{name_of(pod)}_{namespace_of(pod)}({uid_of(pod)})", container: {container["name"]}'

    def own(self, name: str) -> Any:
        return self._container.get(name)

    def either(self, name: str) -> Any:
        found = self._container.get(name)
        return self._pod.get(name) if found is None else found


def _user(context: _Context, means: Means) -> int:
    asked, non_root = context.either("runAsUser"), context.either("runAsNonRoot")
    if non_root and asked == 0:
        raise SecurityRefused(f"container's runAsUser breaks non-root policy ({context.where})")
    if means.users:
        return int(asked if asked is not None else NON_ROOT if non_root else 0)
    if asked not in (None, means.own_user):
        raise SecurityRefused(
            f"runAsUser {asked} is not supported",
            cause=f"containers of this node are processes of user {means.own_user}; sidings doctor says how to get a "
            "better tier",
        )
    if non_root and means.own_user == 0:
        raise SecurityRefused(
            f"container has runAsNonRoot and would run as root ({context.where})",
            cause="start the engine as an ordinary user",
        )
    return 0


def _groups(pod: Object) -> tuple[int, ...]:
    context = pod["spec"].get("securityContext") or {}
    group = fs_group(pod)
    return tuple(dict.fromkeys([*(context.get("supplementalGroups") or ()), *([] if group is None else [group])]))


def _wants_default_profile(context: _Context) -> bool:
    profile = context.either("seccompProfile") or {}
    if profile.get("type") == "Localhost":
        raise SecurityRefused(
            f"seccompProfile Localhost ({profile.get('localhostProfile')}) is not supported",
            cause="this node has no profiles; use type: RuntimeDefault or Unconfined",
        )
    return bool(profile.get("type") == "RuntimeDefault")
