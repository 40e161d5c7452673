"""What a manifest asks for that this node does not do. Pure; told once per pod as an event, never silently.

What would weaken the wall around other pods is not ignored but refused: ``security``.
"""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.node import security
from sidings.node.security import Means

REASON = "FieldsIgnored"
_OF_PODS = ("runtimeClassName",)


def ignored_fields(pod: Object, means: Means, *, engine: bool = False) -> list[str]:
    """Paths below ``spec`` that have no effect here, in the order of the manifest.

    A container engine does what a ``securityContext`` says.
    """
    spec = pod["spec"]
    found = [name for name in _OF_PODS if spec.get(name)]
    return found if engine else [*found, *security.without_effect(pod, means)]
