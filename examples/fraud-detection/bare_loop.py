"""The yardstick: the same model and batches in the barest distributed loop, for rows per second to compare with.

    torchrun --nproc-per-node=2 bare_loop.py --data-dir data

No checkpoints, no schedule, no signals, no reports. Prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from train import FRAUD_WEIGHT, FraudNet, World, load_part


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=Path("fraud-data"))
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=1024)
    args = parser.parse_args()
    world = World()
    codes, labels = load_part(args.data_dir, "train", world.device)
    model = FraudNet(list(json.loads((args.data_dir / "meta.json").read_text())["coder"]["sizes"].values()))
    model.to(world.device)
    parallel = DistributedDataParallel(model) if world.size > 1 else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.012, fused=True)
    loss = torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor(FRAUD_WEIGHT, device=world.device))
    speeds = []
    for _ in range(args.epochs):
        began = time.perf_counter()
        rows = torch.randperm(len(labels))[world.rank :: world.size].to(world.device)
        for batch in rows.split(args.batch_size):
            optimizer.zero_grad(set_to_none=True)
            loss(parallel(codes[batch].int()), labels[batch]).backward()
            optimizer.step()
        speeds.append(len(labels) / (time.perf_counter() - began))
    if world.rank == 0:
        print(json.dumps({"rows_per_second": speeds}), flush=True)
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
