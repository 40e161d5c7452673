import pytest

from sidings.node.errors import ConfigMissing, NodeError, SandboxFailed, SecurityRefused, VolumeError
from sidings.node.refusal import refusal


@pytest.mark.parametrize(
    ("error", "has_sandbox", "waiting", "reason", "message"),
    [
        (ConfigMissing("no secret"), True, "CreateContainerConfigError", "Failed", "Error: no secret"),
        (SecurityRefused("no"), False, "CreateContainerConfigError", "Failed", "Error: no"),
        (VolumeError("hostPath /x is refused", cause="why"), False, "ContainerCreating", "FailedMount",
         "hostPath /x is refused: why"),
        (SandboxFailed("cannot mount /x"), True, "CreateContainerError", "Failed", "Error: cannot mount /x"),
        (SandboxFailed("no room"), False, "ContainerCreating", "FailedCreatePodSandBox",
         "Failed to create pod sandbox: no room"),
    ],
)  # fmt: skip
def test_every_error_has_kubelets_words(
    error: NodeError, has_sandbox: bool, waiting: str, reason: str, message: str
) -> None:
    told = refusal(error, has_sandbox=has_sandbox)
    assert (told.waiting.reason, told.reason, told.message) == (waiting, reason, message)
    assert told.waiting.message == message.removeprefix("Error: ").removeprefix("Failed to create pod sandbox: ")
