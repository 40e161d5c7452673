"""A script that "trains" without torch, for tests: its loss follows from a state, which it saves every fifth step.

``--checkpoints s3://BUCKET/PREFIX`` saves in a bucket. ``--forget``: it resumes at the right step with the state of a
beginner. ``--fail-at STEP`` ends with an error there. ``--share PATH`` keeps checkpoints where every run finds them.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path


class Folder:
    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.path = path

    def names(self) -> list[str]:
        return [path.name for path in self.path.glob("step-*.bin")]

    def get(self, name: str) -> str:
        return (self.path / name).read_text()

    def put(self, name: str, text: str) -> None:
        unfinished = self.path / "unfinished"
        unfinished.write_text(text)
        unfinished.rename(self.path / name)


class Bucket:
    """What cannot be written is left out, as a periodic checkpoint may be."""

    def __init__(self, url: str) -> None:
        from obstore.store import S3Store

        bucket, _, prefix = url.removeprefix("s3://").partition("/")
        endpoint, region = os.environ["AWS_ENDPOINT_URL"], "us-east-1"
        self.store = S3Store(
            bucket, prefix=prefix, endpoint=endpoint, region=region, client_options={"allow_http": True}
        )

    def names(self) -> list[str]:
        return [item["path"] for page in self.store.list() for item in page]

    def get(self, name: str) -> str:
        return bytes(self.store.get(name).bytes()).decode()

    def put(self, name: str, text: str) -> None:
        from obstore.exceptions import BaseError

        try:
            self.store.put(name, text.encode())
        except BaseError as error:
            print(f"{name} is left out: {str(error).splitlines()[0]}", flush=True)


def resumed(place: Folder | Bucket) -> tuple[int, int]:
    for name in sorted(place.names(), reverse=True):
        try:
            step, state = json.loads(place.get(name))
        except ValueError:
            print(f"skipping {name}", flush=True)
            continue
        return step, state
    return 0, 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint-dir", type=Path, default=Path("checkpoints"))
    parser.add_argument("--checkpoints", default="")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--forget", action="store_true")
    parser.add_argument("--fail-at", type=int, default=-1)
    parser.add_argument("--silent", action="store_true")
    parser.add_argument("--share", default="")
    args = parser.parse_args()
    place = Bucket(args.checkpoints) if args.checkpoints else Folder(Path(args.share or args.checkpoint_dir))
    step, state = resumed(place)
    state = 1 if args.forget else state
    while step < args.steps:
        if step == args.fail_at:
            raise SystemExit("the disk is on fire")
        step, state = step + 1, state * 48271 % 2147483647
        if not args.silent:
            with Path(os.environ["LOSS_LOG"]).open("a") as log:
                log.write(f"{step} {os.environ['RANK']} {state / 2147483647!r}\n")
        if step % 5 == 0 or step == args.steps:
            place.put(f"step-{step:05d}.bin", json.dumps([step, state]))
        time.sleep(0.005)  # long enough for an interruption between two steps
    Path("end.bin").write_text(str(state))


if __name__ == "__main__":
    main()
