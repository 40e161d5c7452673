"""Why a verification came to no answer: something of the script, which its user mends.

::

    SidingsError
    └── VerificationError
        ├── ScriptFailed        the script ended by itself with an error, or did not end
        ├── PodsWait            its pods did not all run within a time
        ├── EngineLost          the engine went away meanwhile
        ├── NoSpace             the disk is full
        ├── NoLosses            its losses cannot be seen
        ├── NoCheckpoint        its checkpoints cannot be seen, or not be told apart from another run's
        └── BucketFailed        the bucket of its checkpoints cannot be reached from here
"""

from __future__ import annotations

from sidings.errors import SidingsError


class VerificationError(SidingsError):
    code = "VERIFICATION_ERROR"


ELSEWHERE = "TMPDIR=/PATH sidings train verify-resume ..."
"""Remedy where the disk, or the folder for temporary ones, is of no use."""


class ScriptFailed(VerificationError):
    code = "SCRIPT_FAILED"


class PodsWait(VerificationError):
    code = "PODS_WAIT"


class EngineLost(VerificationError):
    code = "ENGINE_LOST"


class NoSpace(VerificationError):
    code = "NO_SPACE"


class NoLosses(VerificationError):
    code = "NO_LOSSES"


class NoCheckpoint(VerificationError):
    code = "NO_CHECKPOINT"


class BucketFailed(VerificationError):
    code = "BUCKET_FAILED"
