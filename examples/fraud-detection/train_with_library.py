"""The same training as train.py, on sidings-train: what is left is the model, the step and the loop.

    python train_with_library.py                                  # one process, makes its data
    torchrun --nproc-per-node=2 train_with_library.py --checkpoints /mnt/claim/run-1
    torchrun train_with_library.py --checkpoints s3://models/fraud/run-1 --compile

A step is a function of row numbers, so that on a GPU all of it is one CUDA graph. Interrupted at any step and started
again, it goes on from its newest checkpoint with the same numbers; also on another number of processes.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import NamedTuple

import metrics
import numpy as np
import prepare
import torch
from train import FRAUD_WEIGHT, FraudNet, learning_rate, load_part

import sidings_train
from sidings_train import (
    Checkpoints,
    Compiled,
    FlatGradients,
    Interruption,
    Progress,
    Table,
    TrainState,
    WholeStep,
    World,
)

EVALUATED_AT_ONCE = 65_536  # rows of one process


class Epoch(NamedTuple):
    """Mean loss of this rank, rows of all ranks, and seconds without those that checkpoints took."""

    loss: float
    rows: int
    seconds: float

    @property
    def speed(self) -> float:
        return self.rows / self.seconds


class Trainer:
    """Model, optimizer and the step that changes them."""

    def __init__(self, args: argparse.Namespace, world: World, meta: dict) -> None:
        codes, label = load_part(args.data_dir, "train", torch.device("cpu"))
        self.table = Table({"codes": codes, "label": label}, world.device)
        self.args, self.world = args, world
        self.steps = args.epochs * self.table.steps(args.batch_size, world)
        torch.manual_seed(args.seed)
        self.model = FraudNet(list(meta["coder"]["sizes"].values())).to(world.device)
        self.gradients = FlatGradients(self.model, world, symmetric=args.symmetric)
        rate = torch.tensor(args.lr, device=world.device)  # a tensor: a captured step sees it change
        on_gpu = world.device.type == "cuda"
        if on_gpu:
            torch.set_float32_matmul_precision("high")  # TF32: it ranks as well
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), rate, weight_decay=0.01, fused=True, capturable=on_gpu
        )
        self.loss = torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor(FRAUD_WEIGHT, device=world.device))
        told = {name: getattr(args, name) for name in ("batch_size", "epochs", "lr", "seed")}
        recipe = {"data": self.table.fingerprint, **told}
        self.state = TrainState(self.model, self.optimizer, recipe=recipe)
        self.loss_of = Compiled(self.plain_loss) if args.compile else self.plain_loss
        self.step = WholeStep(self.one_step, world)
        world.seed(args.seed)

    def plain_loss(self, rows: torch.Tensor) -> torch.Tensor:
        batch = self.table.take(rows)
        return self.loss(self.model(batch["codes"].int()), batch["label"])

    def one_step(self, rows: torch.Tensor) -> torch.Tensor:
        self.gradients.zero()
        loss = self.loss_of(rows)
        loss.backward()
        self.gradients.average()
        self.optimizer.step()
        return loss.detach()

    def epoch(self, checkpoints: Checkpoints, interruption: Interruption, progress: Progress) -> Epoch:
        """What is left of the present epoch."""
        state, total, rows_seen = self.state, torch.zeros((), device=self.world.device), 0
        began, stalled, first = time.perf_counter(), checkpoints.stalled, state.step
        at = {"seed": self.args.seed, "epoch": state.epoch, "position": state.position, "size": self.args.batch_size}
        for rows, of_all in progress.data(self.table.rows(self.world, **at)):
            for group in self.optimizer.param_groups:
                group["lr"].fill_(learning_rate(state.step, self.steps, self.args.lr))
            loss = self.step(rows)
            total += loss
            state.advance(of_all, loss)
            progress.step(of_all, loss)
            rows_seen += of_all
            checkpoints.after_step()
            interruption.check(checkpoints)
        mean = total.item() / max(state.step - first, 1)
        seconds = time.perf_counter() - began - (checkpoints.stalled - stalled)
        state.next_epoch()
        return Epoch(mean, rows_seen, seconds)

    @torch.no_grad()
    def evaluate(self, checkpoints: Checkpoints, interruption: Interruption, progress: Progress) -> dict[str, float]:
        """Quality on the held-out rows: every rank scores its share, all together are ranked."""
        codes, labels = load_part(self.args.data_dir, "test", self.world.device)
        self.model.eval()
        own = codes.tensor_split(self.world.size)[self.world.rank]
        parts = own.tensor_split(math.ceil(len(codes) / self.world.size / EVALUATED_AT_ONCE))  # as many on every rank
        scores = []
        for part in progress.evaluation(parts, len(parts)):
            scores.append(self.model(part.int()))
            interruption.check(checkpoints)
        everything = torch.cat(self.world.gather(torch.cat(scores).cpu()))
        quality = metrics.quality(labels.cpu().numpy(), everything.double().numpy())
        progress.evaluated(quality)
        return quality


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    prepare.add_arguments(parser)
    parser.add_argument("--checkpoints", default="fraud-checkpoints/library", help="path or s3://BUCKET/PREFIX")
    parser.add_argument("--checkpoint-every", type=int, default=200, metavar="STEPS")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=1024, help="rows per process and step")
    parser.add_argument("--lr", type=float, default=0.012)
    parser.add_argument("--page", type=int, metavar="PORT", help="serve progress for OpenShift AI, which asks at 28080")
    parser.add_argument("--tensorboard", type=Path, metavar="FOLDER", help="write curves for TensorBoard")
    parser.add_argument("--compile", action="store_true", help="torch.compile forward and backward")
    parser.add_argument("--symmetric", action="store_true", help="several GPUs of one pod: read each other's gradients")
    parser.add_argument("--deterministic", action="store_true", help="the same bits each time, on a GPU too")
    args = parser.parse_args()
    prepare.check(parser, args)
    began = time.perf_counter()
    meta = prepare.prepare(args)
    with sidings_train.start(deterministic=args.deterministic) as world:
        trainer = Trainer(args, world, meta)
        state, epochs = trainer.state, []
        world.say(
            f"{world.size} process(es) on {world.device.type}: {len(trainer.table):,} rows, {args.epochs} epochs of "
            f"{args.batch_size} x {world.size}"
        )
        saving = Checkpoints(args.checkpoints, world, state, every=args.checkpoint_every)
        telling = Progress(
            world, state, total=trainer.steps, checkpoints=saving, page=args.page, tensorboard=args.tensorboard
        )
        with saving as checkpoints, Interruption(world) as interruption, telling as progress:
            checkpoints.resume()
            while state.epoch < args.epochs:
                epochs.append(epoch := trainer.epoch(checkpoints, interruption, progress))
                world.say(
                    f"epoch {state.epoch}/{args.epochs} step {state.step}/{trainer.steps} loss {epoch.loss:.5f} "
                    f"{epoch.speed:,.0f} rows/s checkpoints {checkpoints.stalled:.2f} s"
                )
            checkpoints.save()
            result = trainer.evaluate(checkpoints, interruption, progress)
    median = float(np.median([epoch.speed for epoch in epochs])) if epochs else float("nan")
    result |= {"epochs": args.epochs, "rows_per_second": median, "stepping": sum(epoch.seconds for epoch in epochs)}
    result |= {"checkpoints": checkpoints.stalled, "seconds": time.perf_counter() - began}
    world.say(json.dumps(result))


if __name__ == "__main__":
    main()
