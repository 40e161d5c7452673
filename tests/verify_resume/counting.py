"""A script that "trains" without torch, for tests: its loss follows from a state, which it saves every fifth step.

``--forget``: it resumes at the right step with the state of a beginner. ``--fail-at STEP`` ends with an error there.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path


def resumed(folder: Path) -> tuple[int, int]:
    for path in sorted(folder.glob("step-*.bin"), reverse=True):
        try:
            step, state = json.loads(path.read_text())
        except ValueError:
            print(f"skipping {path}", flush=True)
            continue
        return step, state
    return 0, 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint-dir", type=Path, default=Path("checkpoints"))
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--forget", action="store_true")
    parser.add_argument("--fail-at", type=int, default=-1)
    parser.add_argument("--silent", action="store_true")
    args = parser.parse_args()
    args.checkpoint_dir.mkdir(parents=True, exist_ok=True)
    step, state = resumed(args.checkpoint_dir)
    state = 1 if args.forget else state
    while step < args.steps:
        if step == args.fail_at:
            raise SystemExit("the disk is on fire")
        step, state = step + 1, state * 48271 % 2147483647
        if not args.silent:
            with Path(os.environ["LOSS_LOG"]).open("a") as log:
                log.write(f"{step} {os.environ['RANK']} {state / 2147483647!r}\n")
        if step % 5 == 0 or step == args.steps:
            unfinished = args.checkpoint_dir / "unfinished"
            unfinished.write_text(json.dumps([step, state]))
            unfinished.rename(args.checkpoint_dir / f"step-{step:05d}.bin")
        time.sleep(0.005)  # long enough for an interruption between two steps


if __name__ == "__main__":
    main()
