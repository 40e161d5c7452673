"""Which rows a rank sees, as a function of numbers: (seed, epoch) give a permutation, a position in it the next step.

There is no sampler with a state, so there is none to save, to restore too early or to draw from too often. Each step
takes the next ``size * ranks`` rows of the epoch's permutation, each rank its part of them; after a change of the
number of ranks the rows that were used stay used and the others still come once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch


class Share(NamedTuple):
    """Rows of one rank in one step, and how many rows all ranks together take in it (what position advances by)."""

    rows: torch.Tensor
    of_all: int


def permutation(count: int, seed: int, epoch: int) -> torch.Tensor:
    """The order of ``count`` rows in ``epoch``: int64 [count], on the CPU, the same on every rank and device."""
    mixed = (seed * 0x9E3779B97F4A7C15 + epoch * 0xBF58476D1CE4E5B9) % 2**63
    return torch.randperm(count, generator=torch.Generator().manual_seed(mixed))


def shares(order: torch.Tensor, position: int, size: int, rank: int, ranks: int) -> Iterator[Share]:
    """What ``rank`` of ``ranks`` takes from ``order``, from ``position`` (rows of all ranks) to the end of the epoch.

    Every rank gets equally many rows in a step, so that gradients weigh alike: ``size``, and fewer in the last step.
    Up to ``ranks - 1`` rows are left over at the end; the next epoch's permutation has them elsewhere.
    """
    while (each := min(size, (len(order) - position) // ranks)) > 0:
        first = position + rank * each
        yield Share(order[first : first + each], each * ranks)
        position += each * ranks


def steps(count: int, size: int, ranks: int) -> int:
    """How many steps an epoch of ``count`` rows has."""
    full, rest = divmod(count, size * ranks)
    return full + (rest >= ranks)
