"""The loss of every step in a file, for who compares two runs: ``sidings train verify-resume`` does.

Off unless ``$LOSS_LOG`` names a file; then each step of each rank appends ``STEP RANK LOSS``, the loss with all its
digits. Reading a loss waits for the device, which is why nobody trains with it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import torch

VARIABLE = "LOSS_LOG"


def note(step: int, loss: torch.Tensor, environ: Mapping[str, str] = os.environ) -> None:
    """Append one line, by one write, so that a process that is killed leaves no half of one."""
    path = environ.get(VARIABLE)
    if not path:
        return
    line = f"{step} {environ.get('RANK', '0')} {loss.item()!r}\n".encode()
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(file, line)
    finally:
        os.close(file)
