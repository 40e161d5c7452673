"""Full fine-tuning of a decoder: DDP or FSDP, accumulation, checkpoints to a path or a bucket, interrupted at any step.

    python train.py --text docs/*.md                                           # bytes as tokens, a tiny model
    torchrun --nproc-per-node=2 train.py --text book.txt --shard --size small --checkpoints s3://models/sft/run-1
    torchrun ... train.py --config granite/config.json --tokens data/*.bin --wide --shard --bfloat16 --recompute

The model is built from a config, with fresh weights or those of ``--weights``. The last two lines differ in size only.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import torch
from model import Block, Config, Decoder

import sidings_train
from sidings_train import (
    Checkpoints,
    Interruption,
    Progress,
    Tokens,
    TrainError,
    TrainState,
    World,
    accumulating,
    tokens,
)

END_OF_TEXT = 256  # bytes are tokens 0 to 255


def read(args: argparse.Namespace, world: World, files: list[Path], name: str) -> Tokens:
    """``files`` where they are tokens; of text its bytes as one such file, written by the first rank of each node."""
    if not args.tokens:
        path = args.work / f"{name}-{world.rank - world.local_rank}.bin"  # nodes may share the folder
        with world.together():
            if world.local_rank == 0:
                path.parent.mkdir(parents=True, exist_ok=True)
                tokens.write(path, ([*text.read_bytes(), END_OF_TEXT] for text in sorted(files)))
        files = [path]
    found = Tokens(files, args.length, wide=args.wide)
    if len(found) < world.size:
        raise TrainError(
            f"{name}: {len(found)} windows of {args.length} tokens for {world.size} processes",
            remedy="more text, a shorter --length, or fewer processes",
        )
    return found


def build(args: argparse.Namespace, config: Config, world: World) -> torch.nn.Module:
    torch.manual_seed(args.seed)
    with world.device:
        model = Decoder(config)
    if args.weights:
        model.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True, mmap=True))
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


def operations(model: torch.nn.Module, config: Config, length: int) -> float:
    """Of a token, forward and backward: two a weight and direction of three, and attention over half the window."""
    weights = sum(parameter.numel() for parameter in model.parameters())
    return 6.0 * weights + 6.0 * config.num_hidden_layers * config.hidden_size * length


class Trainer:
    def __init__(self, args: argparse.Namespace, world: World) -> None:
        self.args, self.world = args, world
        self.data = read(args, world, args.tokens or args.text, "text")
        self.held_out = read(args, world, args.held_out, "held-out") if args.held_out else None
        config = Config.read(args.config or Path(__file__).with_name("sizes.json"), None if args.config else args.size)
        self.model = build(args, config, world)
        self.operations = operations(self.model, config, args.length)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=args.lr, betas=(0.9, 0.95), weight_decay=0.1, fused=True
        )
        self.cast = args.bfloat16 and not args.shard  # FSDP casts weights itself, when it gathers them
        # Rows of one optimizer step and rank; they go through the model in parts.
        self.rows = args.batch_size * args.accumulate
        self.steps = args.epochs * self.data.steps(self.rows, world)
        told = {name: getattr(args, name) for name in ("length", "epochs", "lr", "seed")}
        recipe = {"data": self.data.fingerprint, "rows": self.rows, **told}
        self.state = TrainState(self.model, self.optimizer, recipe=recipe)
        world.seed(args.seed)

    def loss(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        with torch.autocast(self.world.device.type, torch.bfloat16, enabled=self.cast):
            return self.model(inputs, targets)

    def step(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        for group in self.optimizer.param_groups:
            group["lr"] = rate(self.state.step, self.steps, self.args.lr)
        self.optimizer.zero_grad(set_to_none=True)
        parts = list(zip(inputs.split(self.args.batch_size), targets.split(self.args.batch_size), strict=True))
        total = torch.zeros((), device=self.world.device)
        for number, (rows, wanted) in enumerate(parts):
            with accumulating(self.model, more=number < len(parts) - 1):
                loss = self.loss(rows, wanted) * (len(rows) / len(inputs))
                loss.backward()
            total += loss.detach()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return total

    def epoch(self, checkpoints: Checkpoints, interruption: Interruption, progress: Progress) -> None:
        """What is left of the present epoch, and its evaluation."""
        state = self.state
        at = {"seed": self.args.seed, "epoch": state.epoch, "position": state.position, "size": self.rows}
        for windows in progress.data(self.data.batches(self.world, **at)):
            self.world.at(state.step)
            loss = self.step(windows.inputs, windows.targets)
            state.advance(windows.of_all, loss)
            progress.step(windows.of_all, loss)
            checkpoints.after_step()
            interruption.check(checkpoints)
        if self.held_out:
            self.evaluate(self.held_out, checkpoints, interruption, progress)
        state.next_epoch()

    @torch.no_grad()
    def evaluate(self, text: Tokens, checkpoints: Checkpoints, interruption: Interruption, progress: Progress) -> None:
        """The mean loss of windows that training does not see. Every rank takes equally many: shards are gathered."""
        size, losses = self.args.batch_size, []
        batches = text.batches(self.world, seed=0, epoch=0, position=0, size=size)
        for windows in progress.evaluation(batches, text.steps(size, self.world)):
            losses += [self.loss(windows.inputs, windows.targets)] * len(windows.inputs)
            interruption.check(checkpoints)
        own = torch.stack(losses).double().mean().item()
        loss = sum(self.world.gather(own)) / self.world.size
        progress.evaluated({"loss": loss, "perplexity": math.exp(loss)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = parser.add_mutually_exclusive_group(required=True)
    data.add_argument("--text", type=Path, nargs="+", help="files whose bytes are the tokens")
    data.add_argument("--tokens", type=Path, nargs="+", help="token files (sidings_train.tokens.write)")
    parser.add_argument(
        "--held-out", type=Path, nargs="+", help="files of the same kind, to evaluate on after an epoch"
    )
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
    parser.add_argument("--report-every", type=float, default=10.0, metavar="SECONDS")
    parser.add_argument("--peak", type=float, metavar="FLOPS", help="of one device, for the MFU: 989e12 of an H100")
    parser.add_argument("--page", type=int, metavar="PORT", help="serve progress for OpenShift AI, which asks at 28080")
    parser.add_argument("--tensorboard", type=Path, metavar="FOLDER", help="write curves for TensorBoard")
    args = parser.parse_args()
    for path in (*(args.text or args.tokens), *(args.held_out or ()), *filter(None, (args.config, args.weights))):
        if not path.is_file():
            parser.error(f"{path}: no such file")
    with sidings_train.start() as world:
        trainer = Trainer(args, world)
        size = sum(parameter.numel() for parameter in trainer.model.parameters())
        world.say(f"{size:,} parameters, {'sharded' if args.shard else 'whole'} on {world.size} {world.device.type}")
        world.say(
            f"{trainer.steps} steps of {trainer.rows} x {world.size} windows, {len(trainer.data):,} windows in all"
        )
        state = trainer.state
        saving = Checkpoints(args.checkpoints, world, state, every=args.checkpoint_every)
        telling = Progress(
            world,
            state,
            total=trainer.steps,
            checkpoints=saving,
            every=args.report_every,
            unit="tokens",
            operations=trainer.operations,
            peak=args.peak,
            page=args.page,
            tensorboard=args.tensorboard,
        )
        with saving as checkpoints, Interruption(world) as interruption, telling as progress:
            checkpoints.resume()
            while state.epoch < args.epochs:
                trainer.epoch(checkpoints, interruption, progress)
            checkpoints.save()
        world.say(f"done at step {state.step}")


if __name__ == "__main__":
    main()
