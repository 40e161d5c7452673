"""A table that lies on the device in whole, by columns; an epoch over it is index arithmetic.

A loader that fetches row by row costs 8 to 37 microseconds a row on a CPU core, and a GPU waits for it; a gather from
resident columns costs 0.1. A table of some million rows of small integers is a few hundred megabytes: it fits.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch

from sidings_train.data.order import must_reach, permutation, shares, steps
from sidings_train.world import World


class Batch(NamedTuple):
    """Columns of this rank's rows in one step, and how many rows all ranks take in it: what ``advance`` wants."""

    columns: dict[str, torch.Tensor]
    of_all: int


class Table:
    """``columns`` by name, all with the same first dimension, moved to ``device``."""

    def __init__(self, columns: Mapping[str, torch.Tensor], device: torch.device) -> None:
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) != 1:
            raise ValueError(f"columns of different length: {lengths}")
        self.fingerprint = _fingerprint(columns)
        self.columns = {name: column.to(device) for name, column in columns.items()}
        self._device = device
        self._rows = next(iter(lengths.values()))
        self._orders: dict[tuple[int, int], torch.Tensor] = {}

    def __len__(self) -> int:
        return self._rows

    def steps(self, size: int, world: World) -> int:
        """Steps of an epoch with ``size`` rows a rank. TrainError where there are fewer rows than ranks."""
        must_reach(len(self), world.size, "rows")
        return steps(len(self), size, world.size)

    def take(self, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        """All columns at ``rows`` (int64, on the device)."""
        return {name: column[rows] for name, column in self.columns.items()}

    def rows(
        self, world: World, *, seed: int, epoch: int, position: int, size: int
    ) -> Iterator[tuple[torch.Tensor, int]]:
        """Row numbers of each step of ``epoch`` from ``position`` on, ``size`` a rank, and how many all ranks take.

        TrainError where there are fewer rows than ranks.
        """
        must_reach(len(self), world.size, "rows")
        order = self._orders.pop((seed, epoch), None)
        if order is None:
            order = permutation(len(self), seed, epoch, self._device)
        for number, share in enumerate(shares(order, position, size, world.rank, world.size)):
            yield share
            if number == 0 and self._device.type == "cuda":
                # Now, behind a step that the device still computes: at the epoch's end it would stand idle for it.
                self._orders = {(seed, epoch + 1): permutation(len(self), seed, epoch + 1, self._device)}

    def batches(self, world: World, *, seed: int, epoch: int, position: int, size: int) -> Iterator[Batch]:
        """The same as columns."""
        for rows, of_all in self.rows(world, seed=seed, epoch=epoch, position=position, size=size):
            yield Batch(self.take(rows), of_all)


def _fingerprint(columns: Mapping[str, torch.Tensor]) -> str:
    """sha256 over names, types, shapes and content."""
    checksum = hashlib.sha256()
    for name, column in sorted(columns.items()):
        checksum.update(f"{name} {column.dtype} {tuple(column.shape)}".encode())
        whole = column.detach().cpu().contiguous()
        # Through ctypes and not numpy, which an image with torch need not have.
        checksum.update((ctypes.c_char * whole.nbytes).from_address(whole.data_ptr()))
    return checksum.hexdigest()[:16]
