"""Card-fraud detection on any number of processes: embedding + MLP, DistributedDataParallel, resume, exact metrics.

    python train.py                                   # one process, makes its data, trains with the demo's defaults
    torchrun --nproc-per-node=2 train.py              # two
    torchrun train.py --data-dir /data --checkpoint-dir /checkpoints --epochs 3

The whole training set lies on the device as small integers (prepare.py), so an epoch is index arithmetic: a
permutation that depends on (seed, epoch) alone, from which every rank takes its share. Whatever a step needs follows
from its number, so a run that resumes from a checkpoint goes on exactly as if it had never stopped.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pickle
import signal
import sys
import time
from pathlib import Path

import metrics
import numpy as np
import prepare
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STOP_CHECK_STEPS = 8  # how often the ranks agree on whether one of them was told to stop
KEEP_CHECKPOINTS = 2
FRAUD_WEIGHT = 8.0  # one row in 180 is fraud; without it the few unobvious ones rank anywhere among the legitimate


class FraudNet(nn.Module):
    """One embedding table for all columns, then an MLP: codes int [batch, columns] -> logits [batch].

    ``sizes`` is the number of codes of each column. Codes of a column are in order, so what the table holds for a code
    is its step from the code below; its vector is the sum of the steps up to it. Neighbours then share what they learn,
    and a few thousand frauds are enough to place 64 bins of an amount. The MLP also sees where in its column's range a
    code lies, in [-1, 1].
    """

    def __init__(self, sizes: list[int], width: int = 8, hidden: tuple[int, int] = (256, 128)) -> None:
        super().__init__()
        size, columns, most = torch.tensor(sizes), len(sizes), max(sizes)
        self.register_buffer("first", size.cumsum(0) - size)
        self.register_buffer("column", torch.arange(columns))
        self.register_buffer("scale", 2 / (size - 1).clamp(min=1))
        self.register_buffer("up_to", torch.ones(most, most).tril(), persistent=False)
        self.width = width
        self.steps = nn.Parameter(torch.zeros(most, columns * width))
        first, second = hidden
        self.mlp = nn.Sequential(
            nn.Linear(columns * (width + 1), first), nn.SiLU(), nn.Dropout(0.1),
            nn.Linear(first, second), nn.SiLU(), nn.Dropout(0.1),
            nn.Linear(second, 1),
        )  # fmt: skip

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        code = codes - self.first
        # Sums by a product: torch.cumsum has no deterministic form on a GPU.
        table = (self.up_to @ self.steps).view(-1, self.width)
        # As nn.functional.embedding, whose gradient a GPU sorts the codes for; of index_select it just adds up.
        looked_up = table.index_select(0, (code * len(self.column) + self.column).flatten()).view(len(codes), -1)
        return self.mlp(torch.cat([looked_up, code * self.scale - 1], 1)).squeeze(1)


class World:
    """This process among all: rank, size, device. Works the same without torchrun, as a world of one."""

    def __init__(self) -> None:
        self.rank, self.size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        cuda = torch.cuda.is_available()
        self.device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if cuda else torch.device("cpu")
        if cuda:
            torch.cuda.set_device(self.device)
        if "RANK" in os.environ:
            dist.init_process_group("nccl" if cuda else "gloo")

    def any(self, flag: bool) -> bool:
        """Whether ``flag`` is set on any rank."""
        if self.size == 1:
            return flag
        told = torch.tensor(float(flag), device=self.device)
        dist.all_reduce(told, op=dist.ReduceOp.MAX)
        return bool(told.item())

    def gather(self, values: torch.Tensor) -> torch.Tensor:
        """Equally long ``values`` of all ranks as one [size, n] tensor, on every rank."""
        if self.size == 1:
            return values[None]
        parts = [torch.empty_like(values) for _ in range(self.size)]
        dist.all_gather(parts, values)
        return torch.stack(parts)

    def say(self, text: str) -> None:
        if self.rank == 0:
            print(text, flush=True)


class Checkpoints:
    """Whole files only: written aside, synced, renamed; the newest that can be read is the one to resume from."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)

    def save(self, step: int, state: dict) -> Path:
        path = self.directory / f"step-{step:08d}.pt"
        unfinished = path.with_suffix(f".{os.getpid()}.tmp")
        with unfinished.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(path)
        for old in sorted(self.directory.glob("step-*.pt"))[:-KEEP_CHECKPOINTS]:
            old.unlink()
        return path

    def latest(self) -> tuple[Path, dict] | None:
        for path in sorted(self.directory.glob("step-*.pt"), reverse=True):
            try:
                return path, torch.load(path, map_location="cpu", weights_only=True)
            except (RuntimeError, EOFError, OSError, pickle.UnpicklingError) as error:
                print(f"skipping unreadable checkpoint {path}: {error}", file=sys.stderr, flush=True)
        return None


def load_part(directory: Path, part: str, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """(codes int16 [rows, columns], labels float32 [rows]) on ``device``."""
    codes = torch.from_numpy(np.load(directory / f"{part}_codes.npy"))
    labels = torch.from_numpy(np.load(directory / f"{part}_label.npy")).float()
    return codes.to(device), labels.to(device)


def learning_rate(step: int, steps: int, peak: float) -> float:
    """Linear warm-up over the first 10 %, then a cosine to zero."""
    warm = max(steps // 10, 1)
    if step < warm:
        return peak * (step + 1) / warm
    return peak * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(steps - warm, 1)))


class Run:
    """One training run: model, optimizer, and the number of the next step, from which everything else follows."""

    def __init__(self, args: argparse.Namespace, world: World, meta: dict) -> None:
        self.args, self.world = args, world
        self.codes, self.labels = load_part(args.data_dir, "train", world.device)
        self.share = len(self.labels) // world.size  # rows of one rank in an epoch; the odd rest waits for the next
        self.steps_per_epoch = -(-self.share // args.batch_size)
        self.steps = args.epochs * self.steps_per_epoch
        torch.manual_seed(args.seed)
        self.model = FraudNet(list(meta["coder"]["sizes"].values())).to(world.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), weight_decay=0.01, fused=True)
        self.parallel = self.model if world.size == 1 else DistributedDataParallel(self.model)
        self.loss = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(FRAUD_WEIGHT, device=world.device))
        self.checkpoints = Checkpoints(args.checkpoint_dir / args.checkpoint_prefix)
        self.recipe = {"rows": meta["rows"], "source": meta["recipe"], "batch": args.batch_size, "epochs": args.epochs}
        self.step = self.resume() if args.resume else 0
        self.told_to_stop = False
        signal.signal(signal.SIGTERM, self.stop)  # only a flag: the ranks save together, between two steps

    def stop(self, signum: int, frame: object) -> None:
        self.told_to_stop = True

    def resume(self) -> int:
        found = self.checkpoints.latest()
        if found is None:
            return 0
        path, state = found
        if state["recipe"] != self.recipe or state["world"] != self.world.size:
            raise SystemExit(f"error: {path} is of another run (data, batch size, epochs or ranks); use --no-resume")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        epoch, within = divmod(state["step"], self.steps_per_epoch)
        self.world.say(f"resumed from {path.name} at step {state['step']}/{self.steps} (epoch {epoch}, step {within})")
        return state["step"]

    def save(self) -> None:
        """Rank 0 writes; all others go on to the next collective, where they wait for it."""
        if self.world.rank == 0:
            state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "step": self.step}
            path = self.checkpoints.save(self.step, state | {"recipe": self.recipe, "world": self.world.size})
            print(f"checkpoint {path} at step {self.step}/{self.steps}", flush=True)

    def rows_of_epoch(self, epoch: int) -> torch.Tensor:
        """Row numbers that this rank sees in ``epoch``, in order."""
        generator = torch.Generator().manual_seed(self.args.seed * 1_000_003 + epoch)
        everything = torch.randperm(len(self.labels), generator=generator)
        return everything[self.world.rank :: self.world.size][: self.share].to(self.world.device)

    def train_step(self, rows: torch.Tensor) -> torch.Tensor:
        torch.manual_seed((self.args.seed * 1_000_003 + self.step) * self.world.size + self.world.rank)  # dropout
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(self.step, self.steps, self.args.lr)
        loss = self.loss(self.parallel(self.codes[rows].int()), self.labels[rows])
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.step += 1
        if path := os.environ.get("LOSS_LOG"):  # set by `sidings train verify-resume`, which compares two runs
            with Path(path).open("a") as log:
                log.write(f"{self.step} {self.world.rank} {loss.item()!r}\n")
        return loss.detach()

    def must_stop(self) -> bool:
        return self.step % STOP_CHECK_STEPS == 0 and self.world.any(self.told_to_stop)

    def train(self) -> list[float]:
        """Train to the last step; the rows/s of each whole epoch. Saves and exits (143) on SIGTERM."""
        speeds = []
        while self.step < self.steps:
            epoch, skip = divmod(self.step, self.steps_per_epoch)
            rows, began, paused = self.rows_of_epoch(epoch), time.perf_counter(), 0.0
            losses = []
            for batch in rows.split(self.args.batch_size)[skip:]:
                losses.append(self.train_step(batch))
                if self.step % self.args.checkpoint_every == 0:
                    since = time.perf_counter()
                    self.save()
                    paused += time.perf_counter() - since
                if self.must_stop():
                    self.save()
                    self.world.say(f"stopped by SIGTERM at step {self.step}/{self.steps}, saved")
                    sys.exit(128 + signal.SIGTERM)
            speed = len(losses) / (self.steps_per_epoch) * self.share * self.world.size
            speed /= time.perf_counter() - began
            if not skip:
                speeds.append(speed)
            mean = torch.stack(losses).mean().item()
            self.world.say(
                f"epoch {epoch + 1}/{self.args.epochs} step {self.step}/{self.steps} loss {mean:.5f} "
                f"{speed:,.0f} rows/s checkpoints {paused:.2f} s"
            )
        self.save()
        return speeds

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Quality on the held-out rows: every rank scores its share, all together are ranked."""
        codes, labels = load_part(self.args.data_dir, "test", self.world.device)
        self.model.eval()
        share = -(-len(labels) // self.world.size)
        own = slice(self.world.rank * share, (self.world.rank + 1) * share)
        scores = torch.full((share,), float("nan"), device=self.world.device)
        parts = [self.model(part.int()) for part in codes[own].split(65_536)]
        scores[: sum(map(len, parts))] = torch.cat(parts)
        everything = self.world.gather(scores).flatten()[: len(labels)]
        return metrics.quality(labels.cpu().numpy(), everything.double().cpu().numpy())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    prepare.add_arguments(parser)
    parser.add_argument("--checkpoint-dir", type=Path, default=Path("fraud-checkpoints"))
    parser.add_argument("--checkpoint-prefix", default="", help="folder in it, one per run")
    parser.add_argument("--checkpoint-every", type=int, default=200, metavar="STEPS")
    parser.add_argument("--resume", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=1024, help="rows per process and step")
    parser.add_argument("--lr", type=float, default=0.012)
    parser.add_argument("--deterministic", action="store_true", help="the same bits each time, on a GPU too")
    args = parser.parse_args()
    prepare.check(parser, args)
    if args.deterministic:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read at the first use of a GPU
        torch.use_deterministic_algorithms(True)
    began = time.perf_counter()
    meta = prepare.prepare(args)
    world = World()
    rows = meta["rows"]
    world.say(
        f"{world.size} process(es) on {world.device.type}: {rows['train']:,} rows to train, {rows['test']:,} held out, "
        f"{args.epochs} epochs of {args.batch_size} x {world.size}"
    )
    run = Run(args, world, meta)
    speeds = run.train()
    result = run.evaluate()
    median = float(np.median(speeds)) if speeds else float("nan")
    result |= {"rows": sum(rows.values()), "epochs": args.epochs, "rows_per_second": median}
    result |= {"checkpoint": str(run.checkpoints.directory), "seconds": time.perf_counter() - began}
    world.say(json.dumps(result))
    world.say(
        f"AUC {result['auc']:.5f} AP {result['ap']:.4f} recall@1%FPR {result['recall_at_1pct_fpr']:.4f} "
        f"rows/s {median:,.0f} steps {run.steps} seconds {result['seconds']:.1f}"
    )
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
