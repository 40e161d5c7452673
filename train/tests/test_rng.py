"""Sources of chance: any seed, and none alike."""

from __future__ import annotations

import random
import time

import torch

from sidings_train import rng


def test_any_number_is_a_seed_and_ranks_differ() -> None:
    before = rng.capture(torch.device("cpu"))
    try:
        drawn = []
        for seed, rank in ((0, 0), (0, 1), (-7, 0), (time.time_ns(), 0), (2**70, 3)):
            rng.begin(seed, rank)
            drawn.append((random.random(), torch.rand(1).item()))
            rng.begin(seed, rank)
            assert (random.random(), torch.rand(1).item()) == drawn[-1]
        assert len(set(drawn)) == len(drawn)
    finally:
        rng.restore(before, torch.device("cpu"))
