"""Training that survives and flies: what a PyTorch script imports to start, be interrupted, and go on exactly.

Everything a script needs is here; the modules behind it may change.
"""

from sidings_train.checkpoint.checkpoints import Checkpoints, Saved
from sidings_train.errors import (
    CheckpointError,
    LaunchError,
    MissingRankError,
    NotThereError,
    StorageError,
    TrainError,
)
from sidings_train.start import start
from sidings_train.state import TrainState
from sidings_train.world import World

__all__ = [
    "CheckpointError",
    "Checkpoints",
    "LaunchError",
    "MissingRankError",
    "NotThereError",
    "Saved",
    "StorageError",
    "TrainError",
    "TrainState",
    "World",
    "start",
]
