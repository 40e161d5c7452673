"""Text as token files that are mapped, not read: windows of fixed length, in an order that follows from (seed, epoch).

A file is nothing but token numbers, two bytes each (four for vocabularies beyond 65,536), one document after the other.
Windows do not overlap; each gives ``length`` inputs and, shifted by one, as many targets.
"""

from __future__ import annotations

import array
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from sidings_train.data.order import must_reach, permutation, shares, steps
from sidings_train.errors import TrainError
from sidings_train.world import World

_BLOCK = 1 << 16  # bytes of a sample for the fingerprint
_SAMPLES = 16  # a file


class Windows(NamedTuple):
    """``inputs`` and ``targets`` int64 [windows, length] of this rank, and how many tokens all ranks take in it."""

    inputs: torch.Tensor
    targets: torch.Tensor
    of_all: int


def write(path: Path, documents: Iterable[Sequence[int]], *, wide: bool = False) -> int:
    """Write the tokens of ``documents`` to a new file, whole or not at all; how many. ``wide``: four bytes each.

    TrainError where a token's number is too large for its bytes.
    """
    count, unfinished = 0, path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            for document in documents:
                array.array("I" if wide else "H", document).tofile(file)
                count += len(document)
        unfinished.rename(path)
    except OverflowError as error:
        raise TrainError(
            f"a token of {path} does not fit its {4 if wide else 2} bytes",
            cause=str(error),
            remedy="" if wide else "write(..., wide=True), and Tokens(..., wide=True) to read them",
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
    return count


class Tokens:
    """Windows of ``length`` over the token files ``paths``; a last window that is not full is left out."""

    def __init__(self, paths: Sequence[Path], length: int, *, wide: bool = False) -> None:
        dtype = torch.uint32 if wide else torch.uint16
        sizes = [path.stat().st_size // dtype.itemsize for path in paths]
        self._files = [
            torch.from_file(str(path), shared=False, size=size, dtype=dtype)
            for path, size in zip(paths, sizes, strict=True)
        ]
        self._length = length
        self._windows = torch.tensor([max(size - 1, 0) // length for size in sizes]).cumsum(0)
        if len(self) == 0:
            raise TrainError(
                f"no window of {length + 1} tokens in {', '.join(map(str, paths)) or 'no file'}",
                remedy="more text, or shorter windows",
            )
        self.fingerprint = _fingerprint(paths)

    def __len__(self) -> int:
        return int(self._windows[-1]) if len(self._windows) else 0

    def steps(self, size: int, world: World) -> int:
        """Steps of an epoch with ``size`` windows a rank. TrainError where there are fewer windows than ranks."""
        self._must_reach(world)
        return steps(len(self), size, world.size)

    def take(self, windows: torch.Tensor) -> torch.Tensor:
        """int64 [windows, length + 1]."""
        return torch.stack([self._window(int(number)) for number in windows])

    def _window(self, number: int) -> torch.Tensor:
        file = int(torch.searchsorted(self._windows, number, right=True))
        within = number - (int(self._windows[file - 1]) if file else 0)
        first = within * self._length
        return self._files[file][first : first + self._length + 1].to(torch.int64)

    def _must_reach(self, world: World) -> None:
        must_reach(len(self), world.size, f"windows of {self._length} tokens")

    def batches(self, world: World, *, seed: int, epoch: int, position: int, size: int) -> Iterator[Windows]:
        """Windows by step of ``epoch`` from ``position`` (tokens of all ranks) on, ``size`` a rank, on the device.

        TrainError where there are fewer windows than ranks.
        """
        self._must_reach(world)
        order = permutation(len(self), seed, epoch)
        for numbers, of_all in shares(order, position // self._length, size, world.rank, world.size):
            windows = self.take(numbers)
            if world.device.type == "cuda":
                windows = windows.pin_memory().to(world.device, non_blocking=True)
            yield Windows(windows[:, :-1], windows[:, 1:], of_all * self._length)


def _fingerprint(paths: Sequence[Path]) -> str:
    """sha256 over the files' sizes and samples of their content: terabytes are told apart without being read."""
    checksum = hashlib.sha256()
    for path in paths:
        size = path.stat().st_size
        checksum.update(f"{size} ".encode())
        with path.open("rb") as file:
            for number in range(_SAMPLES):
                file.seek(max(size - _BLOCK, 0) * number // (_SAMPLES - 1))
                checksum.update(file.read(_BLOCK))
    return checksum.hexdigest()[:16]
