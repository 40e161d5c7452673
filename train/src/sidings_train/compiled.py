"""torch.compile for the part of a step that is worth it, on machines that may have no compiler.

What pays is forward and loss: their backward is compiled with them. The optimizer and the exchange of gradients are few
kernels already, and a function that contains them takes longer to compile. Each shape of the inputs is compiled once
(the last batch of an epoch is another one): kernels for any number of rows are a quarter slower at 32,768.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

import torch

P = ParamSpec("P")
R = TypeVar("R")


class Compiled(Generic[P, R]):
    """``function``, compiled at its first call. Where that fails it is called as it is, and ``reason`` says why."""

    def __init__(self, function: Callable[P, R]) -> None:
        self._plain = function
        self._compiled: Callable[P, R] | None = torch.compile(function, dynamic=False)
        self.reason = ""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if self._compiled is None:
            return self._plain(*args, **kwargs)
        try:
            return self._compiled(*args, **kwargs)
        except torch._dynamo.exc.TorchDynamoException as error:
            self._compiled = None
            self.reason = f"torch.compile: {str(error).splitlines()[0]}"
            print(f"not compiled: {self.reason}", file=sys.stderr, flush=True)
            return self._plain(*args, **kwargs)
