"""The sockets library of ``gang_links``; whoever trains on GPUs has a compiler (Triton needs one)."""

from __future__ import annotations

import logging
from pathlib import Path

from sidings.node import compiled
from sidings.node.compiled import COMPILERS, CannotCompile

__all__ = ["COMPILERS", "SOURCE", "ensure"]

log = logging.getLogger(__name__)

SOURCE = Path(__file__).with_name("nccl_sockets.c")


def ensure(folder: Path) -> Path | None:
    """The library, compiled if it is not there yet (0.1 s); None where that is not possible, which the log explains."""
    try:
        return compiled.ensure(folder, SOURCE)
    except CannotCompile as error:
        log.warning("NVLink between pods of a job is not kept: %s", error)
        return None
