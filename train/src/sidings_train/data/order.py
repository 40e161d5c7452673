"""Which rows a rank sees, as a function of numbers: (seed, epoch) give a permutation, a position in it the next step.

There is no sampler with a state, so there is none to save, to restore too early or to draw from too often. Each step
takes the next ``size * ranks`` rows of the epoch's permutation, each rank its part of them; after a change of the
number of ranks the rows that were used stay used and the others still come once.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import torch

from sidings_train.errors import TrainError

_CPU = torch.device("cpu")
_ROUNDS = 4  # at three, neighbours of an epoch are still measurably alike


class Share(NamedTuple):
    """Rows of one rank in one step, and how many rows all ranks together take in it (what position advances by)."""

    rows: torch.Tensor
    of_all: int


def permutation(count: int, seed: int, epoch: int, device: torch.device = _CPU) -> torch.Tensor:
    """The order of ``count`` rows in ``epoch``: int64 [count], the same numbers on every rank and kind of device.

    Rounds of a bijection on the numbers of so many bits (times an odd number, plus a number, upper bits into lower
    ones), whose constants are drawn by seed and epoch; what lies beyond ``count`` is left out. Nothing but arithmetic
    on whole numbers, so that a GPU makes the order of a million rows in a fraction of a millisecond, without waiting
    for the host, whose ``randperm`` it would have to repeat to the number.
    """
    bits = max(count - 1, 1).bit_length()
    draw = random.Random(f"{seed} {epoch}")
    numbers = torch.arange(2**bits, dtype=torch.int32 if bits < 31 else torch.int64, device=device)
    for _ in range(_ROUNDS):  # overflow drops bits above those that count
        numbers.mul_(draw.getrandbits(bits) | 1).add_(draw.getrandbits(bits)).bitwise_and_(2**bits - 1)
        numbers.bitwise_xor_(numbers >> (bits + 1) // 2)
    kept = numbers < count
    # numbers[kept] in more words: its size would have to be asked from the device, with all work before it done.
    places = torch.where(kept, kept.cumsum(0) - 1, count)
    return torch.empty(count + 1, dtype=torch.int64, device=device).scatter_(0, places, numbers.long())[:count]


def shares(order: torch.Tensor, position: int, size: int, rank: int, ranks: int) -> Iterator[Share]:
    """What ``rank`` of ``ranks`` takes from ``order``, from ``position`` (rows of all ranks) to the end of the epoch.

    Every rank gets equally many rows in a step, so that gradients weigh alike: ``size``, and fewer in the last step.
    Up to ``ranks - 1`` rows are left over at the end; the next epoch's permutation has them elsewhere.
    """
    while (each := min(size, (len(order) - position) // ranks)) > 0:
        first = position + rank * each
        yield Share(order[first : first + each], each * ranks)
        position += each * ranks


def must_reach(count: int, ranks: int, what: str) -> None:
    """TrainError where not every rank gets one of ``count``: an epoch would have no step, a loop over steps no end."""
    if count < ranks:
        raise TrainError(f"{count} {what} for {ranks} processes", remedy="more data, or fewer processes")


def steps(count: int, size: int, ranks: int) -> int:
    """How many steps an epoch of ``count`` rows has."""
    full, rest = divmod(count, size * ranks)
    return full + (rest >= ranks)
