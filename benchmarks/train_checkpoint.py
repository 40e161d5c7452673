"""What a checkpoint costs training: the stall and the time in the background, for a state of a given size.

    python benchmarks/train_checkpoint.py                      # 400 MB to a temporary folder
    python benchmarks/train_checkpoint.py --place s3://bucket/bench --megabytes 100

Prints one line of JSON. The first checkpoint is left out of the median: its buffers are new.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time

import torch
from torch import nn

import sidings_train
from sidings_train import Checkpoints, TrainState

WIDTH = 1024
BYTES_PER_WEIGHT = 12  # float32 weight and AdamW's two moments


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--place", help="path or s3://BUCKET/PREFIX; a temporary folder unless given")
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--checkpoints", type=int, default=5)
    args = parser.parse_args()
    layers = max(args.megabytes * 1_000_000 // (BYTES_PER_WEIGHT * WIDTH * WIDTH), 1)
    with tempfile.TemporaryDirectory() as folder, sidings_train.start() as world:
        model = nn.Sequential(*(nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(layers))).to(world.device)
        optimizer = torch.optim.AdamW(model.parameters(), fused=True)
        state = TrainState(model, optimizer)
        saved, waited = [], []
        with Checkpoints(args.place or folder, world, state, keep=1) as checkpoints:
            for _ in range(args.checkpoints + 1):
                model(torch.randn(8, WIDTH, device=world.device)).square().mean().backward()
                optimizer.step()
                state.advance(8)
                began = time.perf_counter()
                saved.append(checkpoints.save())
                waited.append(time.perf_counter() - began)
    result = {
        "megabytes": round(saved[0].size / 1e6),
        "stall": statistics.median(one.stall for one in saved[1:]),
        "whole": statistics.median(waited[1:]),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
