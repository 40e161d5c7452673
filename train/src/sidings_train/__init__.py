"""Training that survives and flies: what a PyTorch script imports to start, be interrupted, and go on exactly.

Everything a script needs is here; the modules behind it may change.
"""

from sidings_train.errors import (
    CheckpointError,
    LaunchError,
    MissingRankError,
    NotThereError,
    StorageError,
    TrainError,
)
from sidings_train.start import start
from sidings_train.world import World

__all__ = [
    "CheckpointError",
    "LaunchError",
    "MissingRankError",
    "NotThereError",
    "StorageError",
    "TrainError",
    "World",
    "start",
]
