"""Objects that a TrainJob needs beside its JobSet, such as the SSH keys of MPI."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sidings.api.objects import Object
from sidings.api.resources import Resource


class Companion(NamedTuple):
    """One object in the TrainJob's namespace. ``once``: made if it is not there and never touched again."""

    resource: Resource
    name: str
    make: Callable[[], Object]
    once: bool = False
