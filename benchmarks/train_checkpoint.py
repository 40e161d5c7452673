"""What a checkpoint costs training: the stall, the time in the background, and the way back, for a state of a size.

    python benchmarks/train_checkpoint.py                        # 400 MB to a temporary folder
    python benchmarks/train_checkpoint.py --megabytes 2
    python benchmarks/train_checkpoint.py --place s3://bucket/bench

Prints one line of JSON, times in seconds. ``stall`` is what training waits for, of the first checkpoint and the median
of the others, with the CPU time of the thread that trains in it; ``copy`` is the same number of bytes copied from one
piece of memory to another by one thread at the same moment, which no checkpoint can be faster than. ``save`` is the
whole of a checkpoint and ``resume`` the way back, checksums included. The process uses OMP_NUM_THREADS threads.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from typing import Any

import torch
from torch import nn

import sidings_train
from sidings_train import Checkpoints, TrainState, World

WIDE, NARROW = 1024, 256
SMALL = 20  # megabytes; below, layers are narrow
BYTES_PER_WEIGHT = 12  # float32 weight and AdamW's two moments


def build(megabytes: int, world: World) -> TrainState:
    width = WIDE if megabytes >= SMALL else NARROW
    layers = max(megabytes * 1_000_000 // (BYTES_PER_WEIGHT * width * width), 1)
    model = nn.Sequential(*(nn.Linear(width, width, bias=False) for _ in range(layers))).to(world.device)
    return TrainState(model, torch.optim.AdamW(model.parameters(), fused=True))


def step(state: TrainState, world: World) -> None:
    width = state.model[0].in_features
    state.model(torch.randn(8, width, device=world.device)).square().mean().backward()
    state.optimizers[0].step()
    state.advance(8)


def measure(place: str, megabytes: int, count: int, world: World) -> dict[str, Any]:
    state = build(megabytes, world)
    stalls, cpu, whole, copies = [], [], [], []
    with Checkpoints(place, world, state, every=1, keep=1) as checkpoints:
        step(state, world)
        checkpoints.after_step()
        first = checkpoints.save()
        floor = torch.ones(first.size // 4), torch.zeros(first.size // 4)
        for _ in range(count):
            step(state, world)
            began, worked = time.perf_counter(), time.thread_time()
            checkpoints.after_step()
            cpu.append(time.thread_time() - worked)
            stalls.append(checkpoints.save().stall)
            whole.append(time.perf_counter() - began)
            began = time.perf_counter()
            floor[1].numpy()[:] = floor[0].numpy()
            copies.append(time.perf_counter() - began)
    again = build(megabytes, world)
    began = time.perf_counter()
    Checkpoints(place, world, again).resume()
    resume = time.perf_counter() - began
    assert again.step == state.step
    stall = {"first": first.stall, "median": statistics.median(stalls), "worst": max(stalls)}
    return {
        "megabytes": round(first.size / 1e6, 1),
        "load": os.getloadavg()[0],
        "stall": {name: round(seconds, 4) for name, seconds in stall.items()},
        "stall_cpu": round(statistics.median(cpu), 4),
        "copy": round(statistics.median(copies), 4),
        "save": round(statistics.median(whole), 3),
        "resume": round(resume, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--place", help="path or s3://BUCKET/PREFIX; a temporary folder unless given")
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--checkpoints", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sidings_train.start() as world:
        result = measure(args.place or folder, args.megabytes, args.checkpoints, world)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
