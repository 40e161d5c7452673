"""What a manifest asks for that this node does not do. Pure; told once per pod as an event, never silently."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api.objects import Object

REASON = "FieldsIgnored"
_OF_PODS = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "runtimeClassName")
_OF_SECURITY = ("runAsUser", "runAsGroup", "fsGroup", "privileged")


def ignored_fields(pod: Object, *, engine: bool = False) -> list[str]:
    """Paths below ``spec`` that have no effect here, in the order of the manifest.

    A container engine does what a ``securityContext`` says.
    """
    spec = pod["spec"]
    found = [name for name in _OF_PODS if spec.get(name)]
    if engine:
        return found
    found += _security("securityContext", spec)
    for kind in ("initContainers", "containers"):
        for container in spec.get(kind) or ():
            where = f"{kind}[{container['name']}]"
            found += _security(f"{where}.securityContext", container)
    return found


def _security(where: str, holder: Object) -> Iterator[str]:
    context = holder.get("securityContext") or {}
    return (f"{where}.{name}" for name in _OF_SECURITY if context.get(name) not in (None, False))
