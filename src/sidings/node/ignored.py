"""What a manifest asks for that this node does not do. Pure; told once per pod as an event, never silently.

What would weaken the wall around other pods is not ignored but refused: ``security``.
"""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.node import security
from sidings.node.security import Means
from sidings.node.volumes import empty_dir

REASON = "FieldsIgnored"
_OF_PODS = ("runtimeClassName",)


def ignored_fields(pod: Object, means: Means, *, engine: bool = False) -> list[str]:
    """Paths below ``spec`` that have no effect here, in the order of the manifest.

    A container engine does what a ``securityContext`` says.
    """
    spec = pod["spec"]
    found = [name for name in _OF_PODS if spec.get(name)]
    if not means.network:  # then it has no mounts of its own either
        volumes = [volume for volume in spec.get("volumes") or () if empty_dir.in_memory(volume.get("emptyDir") or {})]
        found += [f"volumes[{volume['name']}].emptyDir.medium" for volume in volumes]
    return found if engine else [*found, *security.without_effect(pod, means)]
