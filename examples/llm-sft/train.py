"""Full fine-tuning of a decoder: DDP or FSDP, accumulation, checkpoints to a path or a bucket.

    python train.py --text docs/*.md                                           # bytes as tokens, a tiny model
    torchrun --nproc-per-node=2 train.py --text book.txt --shard --size small --checkpoints s3://models/sft/run-1
    torchrun ... train.py --config granite/config.json --tokens data/*.bin --wide --shard --bfloat16 --recompute

The model is built from a config, with fresh weights or those of ``--weights``. The last two lines differ in size only.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import torch
from model import Block, Config, Decoder

import sidings_train
from sidings_train import Checkpoints, Tokens, TrainState, World, accumulating, tokens

END_OF_TEXT = 256  # bytes are tokens 0 to 255


def token_files(args: argparse.Namespace, world: World) -> list[Path]:
    """The files of ``--tokens``, or the text's bytes as one such file, written by rank 0."""
    if args.tokens:
        return list(args.tokens)
    path = Path(args.work) / "text.bin"
    with world.together():
        if world.first:
            path.parent.mkdir(parents=True, exist_ok=True)
            tokens.write(path, ([*text.read_bytes(), END_OF_TEXT] for text in sorted(args.text)))
    return [path]


def build(args: argparse.Namespace, config: Config, world: World) -> torch.nn.Module:
    torch.manual_seed(args.seed)
    model = Decoder(config).to(world.device)
    if args.weights:
        model.load_state_dict(torch.load(args.weights, map_location=world.device, weights_only=True))
    if args.recompute:
        sidings_train.checkpoint_activations(model, Block)
    if args.shard:
        return sidings_train.fsdp(model, world, Block, compute=torch.bfloat16 if args.bfloat16 else None)
    return sidings_train.ddp(model, world)


def rate(step: int, steps: int, peak: float) -> float:
    """Linear warm-up over the first 5 %, then a cosine to a tenth."""
    warm = max(steps // 20, 1)
    if step < warm:
        return peak * (step + 1) / warm
    return peak * (0.55 + 0.45 * math.cos(math.pi * (step - warm) / max(steps - warm, 1)))


class Trainer:
    def __init__(self, args: argparse.Namespace, world: World) -> None:
        self.args, self.world = args, world
        self.data = Tokens(token_files(args, world), args.length, wide=args.wide)
        config = Config.read(args.config or Path(__file__).with_name("sizes.json"), None if args.config else args.size)
        self.model = build(args, config, world)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=args.lr, betas=(0.9, 0.95), weight_decay=0.1, fused=True
        )
        self.cast = args.bfloat16 and not args.shard  # FSDP casts weights itself, when it gathers them
        # Rows of one optimizer step and rank; they go through the model in parts.
        self.rows = args.batch_size * args.accumulate
        self.steps = args.epochs * self.data.steps(self.rows, world)
        recipe = {"data": self.data.fingerprint, "rows": self.rows, "length": args.length, "epochs": args.epochs}
        self.state = TrainState(self.model, self.optimizer, recipe=recipe)
        world.seed(args.seed)

    def step(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        for group in self.optimizer.param_groups:
            group["lr"] = rate(self.state.step, self.steps, self.args.lr)
        self.optimizer.zero_grad(set_to_none=True)
        parts = list(zip(inputs.split(self.args.batch_size), targets.split(self.args.batch_size), strict=True))
        total = torch.zeros((), device=self.world.device)
        for number, (rows, wanted) in enumerate(parts):
            with accumulating(self.model, more=number < len(parts) - 1):
                with torch.autocast(self.world.device.type, torch.bfloat16, enabled=self.cast):
                    loss = self.model(rows, wanted) * (len(rows) / len(inputs))
                loss.backward()
            total += loss.detach()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return total

    def epoch(self, checkpoints: Checkpoints) -> None:
        """What is left of the present epoch."""
        state, began, seen = self.state, time.perf_counter(), 0
        at = {"seed": self.args.seed, "epoch": state.epoch, "position": state.position, "size": self.rows}
        for windows in self.data.batches(self.world, **at):
            self.world.at(state.step)
            loss = self.step(windows.inputs, windows.targets)
            state.advance(windows.of_all, loss)
            seen += windows.of_all
            checkpoints.after_step()
            if state.step % self.args.report_every == 0:
                speed = seen / (time.perf_counter() - began)
                self.world.say(f"step {state.step}/{self.steps} loss {loss.item():.4f} {speed:,.0f} tokens/s")
        state.next_epoch()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = parser.add_mutually_exclusive_group(required=True)
    data.add_argument("--text", type=Path, nargs="+", help="files whose bytes are the tokens")
    data.add_argument("--tokens", type=Path, nargs="+", help="token files (sidings_train.tokens.write)")
    parser.add_argument("--wide", action="store_true", help="token files have four bytes a token")
    parser.add_argument("--config", type=Path, help="config.json of a Llama or Granite model")
    parser.add_argument("--size", default="tiny", help="without --config: an entry of sizes.json")
    parser.add_argument("--weights", type=Path, help="weights to begin with: a torch file with the model's names")
    parser.add_argument("--work", type=Path, default=Path("sft-work"), help="where the text's tokens are written")
    parser.add_argument("--checkpoints", default="sft-checkpoints", help="path or s3://BUCKET/PREFIX")
    parser.add_argument("--checkpoint-every", type=int, default=50, metavar="STEPS")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--length", type=int, default=128, help="tokens of a window")
    parser.add_argument("--batch-size", type=int, default=8, help="windows per process and backward")
    parser.add_argument("--accumulate", type=int, default=1, help="backwards per step")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=22)
    parser.add_argument("--shard", action="store_true", help="FSDP instead of DDP")
    parser.add_argument("--bfloat16", action="store_true", help="compute in bfloat16")
    parser.add_argument(
        "--recompute", action="store_true", help="compute layers again in backward instead of keeping them"
    )
    parser.add_argument("--report-every", type=int, default=10, metavar="STEPS")
    args = parser.parse_args()
    with sidings_train.start() as world:
        trainer = Trainer(args, world)
        size = sum(parameter.numel() for parameter in trainer.model.parameters())
        world.say(f"{size:,} parameters, {'sharded' if args.shard else 'whole'} on {world.size} {world.device.type}")
        world.say(
            f"{trainer.steps} steps of {trainer.rows} x {world.size} windows, {len(trainer.data):,} windows in all"
        )
        state = trainer.state
        with Checkpoints(args.checkpoints, world, state, every=args.checkpoint_every) as checkpoints:
            checkpoints.resume()
            while state.epoch < args.epochs:
                trainer.epoch(checkpoints)
            checkpoints.save()
        world.say(f"done at step {state.step}")


if __name__ == "__main__":
    main()
