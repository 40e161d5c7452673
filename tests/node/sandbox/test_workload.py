"""What a container's command inherits: nothing of how the engine was started."""

import signal
from collections.abc import Iterator

import pytest

from tests.node.sandboxes import Sandboxes

OURS = sum(1 << (number - 1) for number in signal.valid_signals())
"""All but the two that the C library keeps for its threads: nobody else can set those."""


@pytest.fixture
def hangups_ignored() -> Iterator[None]:
    """As under ``nohup sidings up``."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGHUP, before)


async def test_every_signal_is_as_it_is_by_default(hangups_ignored: None, sandbox: Sandboxes) -> None:
    pod = await sandbox.start_pod()
    code, text = await sandbox.output(pod, "grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status")
    blocked, ignored = (int(line.split()[1], 16) & OURS for line in text.splitlines())
    assert (code, blocked, ignored) == (0, 0, 0)
