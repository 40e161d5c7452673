"""The node's writes of one pod's status: the whole of it, and only if it says something new.

Whatever others state of the pod (conditions of readiness gates, say) is left alone: the patch is strategic.
"""

from __future__ import annotations

from sidings.api.objects import Object, name_of, namespace_of, uid_of
from sidings.api.resources import PODS
from sidings.client.interface import Client, PatchType

FIELD_MANAGER = "kubelet"


class StatusWriter:
    """Remembers what it wrote last."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._told: Object = {}

    async def write(self, pod: Object, status: Object) -> Object | None:
        """The pod with ``status`` written; None where it says what was written last.

        Raises ``NotFound``, or ``Conflict`` where another pod has the name by now.
        """
        stated = _stated(status)
        if stated == self._told:
            return None
        written = await self._client.patch(
            PODS,
            name_of(pod),
            {"metadata": {"uid": uid_of(pod)}, "status": status},
            namespace=namespace_of(pod),
            patch_type=PatchType.STRATEGIC,
            subresource="status",
            field_manager=FIELD_MANAGER,
        )
        self._told = stated
        return written


def _stated(status: Object) -> Object:
    """What a status says, without the fields that a patch only clears."""
    cleared = [
        {key: value for key, value in condition.items() if value is not None} for condition in status["conditions"]
    ]
    return {**status, "conditions": cleared}
