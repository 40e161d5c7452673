"""A TrainJob from a training script: what ``sidings run train.py`` submits.

Nothing that a user could not write: a TrainJob of the runtime ``torch-distributed``, whose pods carry the annotation
``sidings.dev/working-directory`` so that the node shows them the folder at its own path. On a real cluster the
annotation means nothing and the image must hold the script.
"""

from __future__ import annotations

import random
import re
from argparse import Namespace
from pathlib import Path
from typing import Any

from sidings.api.objects import Object
from sidings.api.resources import TRAIN_JOBS
from sidings.cli.errors import UsageError
from sidings.cli.invocation import Invocation
from sidings.cli.manifest import Document

RUNTIME = "torch-distributed"
WORKING_DIRECTORY = "sidings.dev/working-directory"
PATCH_MANAGER = "sidings.dev/run"
NAME_LIMIT = 40
"""Leaves room for what JobSet and Job append to make pod names of at most 63 characters."""
# As Kubernetes' own random suffixes: no vowels, no digits that look like letters (apimachinery util/rand).
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


def document(args: Namespace, invocation: Invocation) -> Document:
    """The document for ``run SCRIPT ARGS...``. Raises ``UsageError`` for a script that is not there or numbers too low.

    The API takes a TrainJob without nodes, which succeeds at once; nobody who runs a script means that.
    """
    for option, least in (("nodes", 1), ("gpus", 0), ("procs", 1)):
        if (given := getattr(args, option)) is not None and given < least:
            raise UsageError(f"--{option} {given} is too low", cause=f"it must be at least {least}")
    script, *arguments = args.script
    path = (invocation.cwd / script).resolve()
    if not path.is_file():
        raise UsageError(f"there is no script {script}", cause=f"{path} is not a file")
    obj = train_job(
        name=args.name or generated_name(path.stem, invocation.rng),
        script=path,
        arguments=arguments,
        folder=invocation.cwd,
        nodes=1 if args.nodes is None else args.nodes,
        gpus=args.gpus or 0,
        procs=args.procs,
    )
    return Document(obj, str(path), 1)


def train_job(
    *, name: str, script: Path, arguments: list[str], folder: Path, nodes: int, gpus: int, procs: int | None
) -> Object:
    """``gpus`` and ``procs`` are per node; ``procs`` None leaves it to the runtime: one a GPU, else 1."""
    trainer: dict[str, Any] = {"numNodes": nodes, "command": ["torchrun", str(script), *arguments]}
    if procs is not None:
        trainer["numProcPerNode"] = procs
    if gpus:
        wanted = {"nvidia.com/gpu": gpus}
        trainer["resourcesPerNode"] = {"requests": wanted, "limits": dict(wanted)}
    pod = {"metadata": {"annotations": {WORKING_DIRECTORY: str(folder)}}}
    return {
        "apiVersion": TRAIN_JOBS.api_version,
        "kind": TRAIN_JOBS.kind,
        "metadata": {"name": name},
        "spec": {
            "runtimeRef": {"name": RUNTIME},
            "trainer": trainer,
            "runtimePatches": [
                {
                    "manager": PATCH_MANAGER,
                    "trainingRuntimeSpec": {
                        "template": {
                            "spec": {"replicatedJobs": [{"name": "node", "template": {"spec": {"template": pod}}}]}
                        }
                    },
                }
            ],
        },
    }


def generated_name(stem: str, rng: random.Random) -> str:
    """``train-x7k2p`` from ``train``: a DNS label that begins with a letter."""
    label = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
    label = label if label[:1].isalpha() else f"run-{label}".rstrip("-")
    return f"{label[: NAME_LIMIT - 6].rstrip('-')}-{''.join(rng.choices(_ALPHABET, k=5))}"
