"""A pod whose claim has no volume waits, before any node is looked at, and so takes nothing from others meanwhile.

kube-scheduler's VolumeBinding plug-in in front of its filters (v1.36, ``plugins/volumebinding/volume_binding.go``), for
volumes that are bound at once: every class here is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sidings.api.objects import Object, is_deleting, namespace_of

Claims = Mapping[tuple[str, str], Object]
"""PersistentVolumeClaims by namespace and name."""


def names_of(pod: Object) -> Iterator[str]:
    """The claims that ``pod`` mounts."""
    for volume in pod["spec"].get("volumes") or ():
        if wanted := volume.get("persistentVolumeClaim"):
            yield wanted["claimName"]


def obstacle(pod: Object, claims: Claims) -> str:
    """Why ``pod`` can run nowhere yet; ``""`` where all its claims are bound."""
    unbound = False
    for name in names_of(pod):
        claim = claims.get((namespace_of(pod), name))
        if claim is None:
            return f'persistentvolumeclaim "{name}" not found'
        if is_deleting(claim):
            return f'persistentvolumeclaim "{name}" is being deleted'
        unbound = unbound or (claim.get("status") or {}).get("phase") != "Bound"
    return "pod has unbound immediate PersistentVolumeClaims" if unbound else ""
