"""Several backwards to one optimizer step, and one exchange of gradients instead of several.

    for number, part in enumerate(parts):
        with accumulating(model, more=number < len(parts) - 1):
            (loss(model(part)) / len(parts)).backward()
    optimizer.step()

Without it each backward would average gradients that nobody uses yet: over a slow network that is most of the step.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn
from torch.distributed.fsdp import FSDPModule
from torch.nn.parallel import DistributedDataParallel


@contextmanager
def accumulating(model: nn.Module, more: bool) -> Iterator[None]:
    """While ``more`` parts of a step follow, gradients stay on the rank; the last part's backward exchanges all."""
    if isinstance(model, DistributedDataParallel):
        if more:
            with model.no_sync():
                yield
        else:
            yield
    elif isinstance(model, FSDPModule):
        model.set_requires_gradient_sync(not more)
        yield
    else:
        yield
