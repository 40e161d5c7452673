"""Training that survives and flies: what a PyTorch script imports to start, be interrupted, and go on exactly.

Everything a script needs is here; the modules behind it may change.
"""

from sidings_train import heavy_imports  # noqa: F401 (before all others)
from sidings_train.accumulation import accumulating
from sidings_train.checkpoint.checkpoints import Checkpoints, Saved
from sidings_train.compiled import Compiled
from sidings_train.data import tokens
from sidings_train.data.table import Batch, Table
from sidings_train.data.tokens import Tokens, Windows
from sidings_train.errors import (
    CheckpointError,
    LaunchError,
    LossError,
    MissingRankError,
    NotThereError,
    StorageError,
    TrainError,
)
from sidings_train.flat_gradients import FlatGradients
from sidings_train.parallel import checkpoint_activations, ddp, fsdp
from sidings_train.progress.progress import Progress
from sidings_train.signals import Interruption
from sidings_train.start import start
from sidings_train.state import TrainState
from sidings_train.whole_step import WholeStep
from sidings_train.world import World

__all__ = [
    "Batch",
    "CheckpointError",
    "Checkpoints",
    "Compiled",
    "FlatGradients",
    "Interruption",
    "LaunchError",
    "LossError",
    "MissingRankError",
    "NotThereError",
    "Progress",
    "Saved",
    "StorageError",
    "Table",
    "Tokens",
    "TrainError",
    "TrainState",
    "WholeStep",
    "Windows",
    "World",
    "accumulating",
    "checkpoint_activations",
    "ddp",
    "fsdp",
    "start",
    "tokens",
]
