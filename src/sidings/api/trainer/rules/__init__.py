"""What a TrainJob must satisfy against its runtime: the validating webhook of Trainer, one policy per module.

Each rule is a pure function over a :class:`~sidings.api.trainer.rules.request.Request`, which holds what it may need of
other objects. Upstream runs its plug-ins in random order; here the order is fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sidings.api.fields import FieldError
from sidings.api.trainer.rules import (
    initializer,
    name_length,
    patches,
    pod_overrides,
    reserved,
    torch,
    torchtune,
    volcano,
)
from sidings.api.trainer.rules.request import Request

__all__ = ["RULES", "Request", "against_runtime"]

RULES: tuple[Callable[[Request], Iterable[FieldError]], ...] = (
    name_length.check,
    initializer.check,
    patches.check,
    pod_overrides.check,
    torch.check,
    torchtune.check,
    reserved.check_mpi,
    reserved.check_xgboost,
    reserved.check_flux,
    volcano.check,
)


def against_runtime(request: Request) -> list[FieldError]:
    """All that is wrong with a TrainJob, given its runtime."""
    return [error for rule in RULES for error in rule(request)]
