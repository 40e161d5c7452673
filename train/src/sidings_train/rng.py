"""Every source of chance that a training step may draw from, on this rank: Python, numpy, torch, its GPU.

numpy is asked only if the script has loaded it. Restored last of all: building a model or loading data draws too.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import torch


def capture(device: torch.device) -> dict[str, Any]:
    """The state of all generators."""
    state: dict[str, Any] = {"python": random.getstate(), "torch": torch.get_rng_state()}
    if numpy := sys.modules.get("numpy"):
        state["numpy"] = numpy.random.get_state()
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device)
    return state


def restore(state: dict[str, Any], device: torch.device) -> None:
    """Go on drawing where ``capture`` stood. A GPU's state is left out on a CPU, and the other way round."""
    random.setstate(state["python"])
    torch.set_rng_state(state["torch"])
    if "numpy" in state and (numpy := sys.modules.get("numpy")):
        numpy.random.set_state(state["numpy"])
    if "cuda" in state and device.type == "cuda":
        torch.cuda.set_rng_state(state["cuda"], device)


def begin(seed: int, rank: int) -> None:
    """Seed a rank that has no state to go on from, differently from all others."""
    own = (seed * 1_000_003 + rank) % 2**63  # torch takes no more: a seed may be the time in nanoseconds
    random.seed(own)
    torch.manual_seed(own)  # of all devices
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(own % 2**32)
