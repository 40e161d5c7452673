"""Rules of security contexts, the pod's and its containers'."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidings.api.fields import FieldError, duplicate, invalid, not_supported, required
from sidings.api.objects import Object

MAX_ID = 2**31 - 1
CHANGE_POLICIES = ("Always", "OnRootMismatch")
PROC_MOUNTS = ("Default", "Unmasked")
SECCOMP_TYPES = ("Localhost", "RuntimeDefault", "Unconfined")
_SYSCTL = "([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL_LENGTH = 253


def validate_pod(spec: Object, path: str) -> Iterator[FieldError]:
    """``spec.securityContext``; ``path`` is that of the spec."""
    context = spec.get("securityContext") or {}
    at = f"{path}.securityContext"
    if spec.get("hostPID") and spec.get("shareProcessNamespace"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid(f"{at}.shareProcessNamespace", True, detail)
    for name in ("fsGroup", "runAsUser", "runAsGroup"):
        yield from _identity(context.get(name), f"{at}.{name}")
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        yield from _identity(group, f"{at}.supplementalGroups[{index}]")
    yield from _sysctls(context.get("sysctls") or [], f"{at}.sysctls")
    policy = context.get("fsGroupChangePolicy")
    if policy is not None and policy not in CHANGE_POLICIES:
        yield not_supported(f"{at}.fsGroupChangePolicy", policy, CHANGE_POLICIES)
    yield from _seccomp(context.get("seccompProfile"), f"{at}.seccompProfile")


def validate_container(container: Object, path: str) -> Iterator[FieldError]:
    """``securityContext`` of the container at ``path``."""
    context = container.get("securityContext") or {}
    at = f"{path}.securityContext"
    for name in ("runAsUser", "runAsGroup"):
        yield from _identity(context.get(name), f"{at}.{name}")
    mount = context.get("procMount")
    if mount is not None and mount not in PROC_MOUNTS:
        yield not_supported(f"{at}.procMount", mount, PROC_MOUNTS)
    if context.get("allowPrivilegeEscalation") is False:
        if context.get("privileged"):
            yield invalid(at, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
        if "CAP_SYS_ADMIN" in ((context.get("capabilities") or {}).get("add") or ()):
            detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            yield invalid(at, context, detail)
    yield from _seccomp(context.get("seccompProfile"), f"{at}.seccompProfile")


def _identity(value: int | None, path: str) -> Iterator[FieldError]:
    if value is not None and not 0 <= value <= MAX_ID:
        yield invalid(path, value, f"must be between 0 and {MAX_ID}, inclusive")


def _sysctls(sysctls: list[Object], path: str) -> Iterator[FieldError]:
    seen = set()
    for index, each in enumerate(sysctls):
        at, name = f"{path}[{index}].name", str(each.get("name") or "")
        if not name:
            yield required(at)
        elif len(name) > _SYSCTL_LENGTH or not re.fullmatch(_SYSCTL, name):
            yield invalid(at, name, f"must have at most {_SYSCTL_LENGTH} characters and match regex ^{_SYSCTL}$")
        elif name in seen:
            yield duplicate(at, name)
        seen.add(name)


def _seccomp(profile: Object | None, path: str) -> Iterator[FieldError]:
    if profile is None:
        return
    type_, file = profile.get("type") or "", profile.get("localhostProfile")
    if not type_:
        yield required(f"{path}.type", "type is required when seccompProfile is set")
    elif type_ not in SECCOMP_TYPES:
        yield not_supported(f"{path}.type", type_, SECCOMP_TYPES)
    elif type_ == "Localhost" and not file:
        yield required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost")
    elif type_ != "Localhost" and file is not None:
        yield invalid(f"{path}.localhostProfile", file, "can only be set when seccomp type is Localhost")
