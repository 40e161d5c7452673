"""From a pod's container and its image to what the engine is told. Pure.

``command`` replaces the image's entrypoint and command, ``args`` alone its command, as on every cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sidings.api.objects import Object
from sidings.node.container_engine.flags import flags
from sidings.node.container_engine.image import Image
from sidings.node.environment import expand
from sidings.node.gpus.source import Unit
from sidings.node.sandbox.spec import ImageRun


def image_run(
    pod: Object, container: Object, image: Image, variables: Mapping[str, str], units: Sequence[Unit]
) -> ImageRun:
    """Raises ``ConfigMissing`` for a user that ``runAsNonRoot`` does not allow."""
    command = [expand(str(word), variables) for word in container.get("command") or ()]
    args = [expand(str(word), variables) for word in container.get("args") or ()]
    return ImageRun(
        id=image.id,
        reference=image.reference,
        entrypoint=command[0] if command else None,
        arguments=(*command[1:], *args),
        flags=flags(pod, container, image, units),
        stop_signal=image.stop_signal,
    )


def has_command(container: Object, image: Image) -> bool:
    """Whether anybody says what to run."""
    return bool(container.get("command") or container.get("args") or image.entrypoint or image.command)
