"""What a container's command inherits: nothing of how the engine was started."""

import signal
from collections.abc import Iterator

import pytest

from tests.node.sandboxes import Sandboxes


@pytest.fixture
def hangups_ignored() -> Iterator[None]:
    """As under ``nohup sidings up``."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGHUP, before)


async def test_every_signal_is_as_it_is_by_default(hangups_ignored: None, sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    code, text = await sandbox.output(pod, "grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status")
    assert (code, [int(line.split()[1], 16) for line in text.splitlines()]) == (0, [0, 0])
