"""What came of asking a container once."""

from __future__ import annotations

from typing import NamedTuple

OUTPUT_BYTES = 10 * 1024
"""How much of an answer's text is kept (kubelet's ``maxRespBodyLength`` and exec's ``maxReadLength``)."""


class Answer(NamedTuple):
    """``well``, or what was wrong, in kubelet's words."""

    well: bool
    message: str = ""
    broken: bool = False
    """The question itself could not be put."""
