"""Why a sandbox cannot be made or a pod cannot be run.

::

    NodeError
    ├── SandboxUnavailable       this machine refuses the namespaces that a sandbox needs
    ├── EngineUnavailable        the container engine of `up --runtime` is missing or does not work
    ├── SandboxFailed            one pod's sandbox, or one container in it, could not be made
    ├── AddressesExhausted       a logical node has no pod address left
    ├── DevicesExhausted         a container's GPUs are not free, or fewer are there than nodes were promised
    ├── ImageUnavailable         a container's image is not here and cannot be pulled (now)
    ├── ConfigMissing            a ConfigMap, Secret or key that a container needs is not there (yet)
    ├── SecurityRefused          a container's securityContext asks for what it cannot have here
    └── VolumeError              a volume cannot be mounted: missing claim, refused path, unknown type

The last seven are states of a pod, not of the program: the pod worker turns them into waiting reasons and events and
tries again.
"""

from __future__ import annotations

from sidings.errors import SidingsError


class NodeError(SidingsError):
    code = "NODE_ERROR"


class SandboxUnavailable(NodeError):
    code = "SANDBOX_UNAVAILABLE"


class EngineUnavailable(NodeError):
    code = "CONTAINER_ENGINE_UNAVAILABLE"


class SandboxFailed(NodeError):
    code = "SANDBOX_FAILED"


class AddressesExhausted(NodeError):
    code = "NODE_ADDRESSES_EXHAUSTED"


class DevicesExhausted(NodeError):
    code = "NODE_DEVICES_EXHAUSTED"


class ImageUnavailable(NodeError):
    """``reason`` is kubelet's waiting reason; ``retry_seconds`` when it is worth another look."""

    code = "POD_IMAGE"

    def __init__(self, what: str, *, reason: str, retry_seconds: float = 0) -> None:
        super().__init__(what)
        self.reason = reason
        self.retry_seconds = retry_seconds


class ConfigMissing(NodeError):
    code = "POD_CONFIG_MISSING"


class VolumeError(NodeError):
    code = "POD_VOLUME"


class SecurityRefused(NodeError):
    code = "POD_SECURITY_REFUSED"
