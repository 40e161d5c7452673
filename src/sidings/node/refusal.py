"""What kubectl shows of a container that could not be started: why it waits, and the event about it. Pure.

Reasons and words are kubelet's (v1.36): who creates pods and looks for ``CreateContainerConfigError`` finds it here.
"""

from __future__ import annotations

from typing import NamedTuple

from sidings.node.errors import ConfigMissing, ImageUnavailable, NodeError, SecurityRefused, VolumeError
from sidings.node.status import CONTAINER_CREATING, Waiting

CONFIG_ERROR = "CreateContainerConfigError"
CREATE_ERROR = "CreateContainerError"


class Refusal(NamedTuple):
    """The container's ``waiting`` state, and a warning's reason and message."""

    waiting: Waiting
    reason: str
    message: str


def refusal(error: NodeError, *, has_sandbox: bool) -> Refusal:
    """``has_sandbox``: the pod's sandbox lives, so what failed is the container itself."""
    text = f"{error.what}: {error.cause}" if error.cause else error.what
    if isinstance(error, ConfigMissing | SecurityRefused):
        return Refusal(Waiting(CONFIG_ERROR, text), "Failed", f"Error: {text}")
    if isinstance(error, ImageUnavailable):
        return Refusal(Waiting(error.reason, text), "Failed", f"Error: {error.reason}")
    if isinstance(error, VolumeError):
        return Refusal(Waiting(CONTAINER_CREATING, text), "FailedMount", text)
    if has_sandbox:
        return Refusal(Waiting(CREATE_ERROR, text), "Failed", f"Error: {text}")
    message = f"Failed to create pod sandbox: {text}"
    return Refusal(Waiting(CONTAINER_CREATING, text), "FailedCreatePodSandBox", message)
