"""What training is, besides its code and data: everything that the next step depends on.

A checkpoint holds all of it, and a run that goes on from one does the same steps as one that never stopped. Where
training stands is three numbers: ``step`` (optimizer steps), ``epoch``, and ``position``, the rows or tokens of this
epoch that all ranks together have used. They count the same for any number of ranks, so that a run may go on with
fewer or more.

``recipe`` is what has to be the same for going on to make sense (data, batch size, schedule); the names are the
script's.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)

from sidings_train import loss_log
from sidings_train.errors import CheckpointError

_FLAT = StateDictOptions(
    flatten_optimizer_state_dict=True
)  # keys by parameter name: regrouping and resharding are safe


class Stateful(Protocol):
    """A scheduler, a gradient scaler, a data loader: whatever can say and take back its state."""

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> object: ...


@dataclass
class TrainState:
    """``model`` may be wrapped (DDP, FSDP, compiled). ``parts`` are further things with a state, by name.

    A part that is a module (an average of the weights) is saved tensor by tensor, any other as a whole.
    """

    model: nn.Module
    optimizer: torch.optim.Optimizer | Sequence[torch.optim.Optimizer] = ()
    parts: Mapping[str, Stateful] = field(default_factory=dict)
    recipe: Mapping[str, Any] = field(default_factory=dict)
    step: int = 0
    epoch: int = 0
    position: int = 0
    _lost: torch.Tensor | None = field(default=None, init=False, repr=False)

    def advance(self, amount: int, loss: torch.Tensor | None = None) -> None:
        """One optimizer step is done; all ranks together used ``amount`` rows or tokens for it.

        ``loss`` is remembered on its device if it is not finite, without waiting for it: ``Checkpoints`` looks before
        it writes, so that no checkpoint holds weights that are lost. ``loss_log`` takes it too where one is wanted.
        """
        self.step += 1
        self.position += amount
        if loss is not None:
            loss_log.note(self.step, loss)
            own = loss.detach()
            # Nothing of it is added, but NaN and infinity times nothing are NaN: one kernel, and no step may cost more.
            self._lost = torch.add(own.new_zeros(()) if self._lost is None else self._lost, own, alpha=0)

    def is_lost(self) -> bool:
        """Whether a loss since the start was NaN or infinite on this rank. Waits for the device."""
        return self._lost is not None and bool(self._lost.isnan().any())

    def next_epoch(self) -> None:
        self.epoch += 1
        self.position = 0

    @property
    def place(self) -> dict[str, int]:
        """Where training stands, for a manifest."""
        return {"step": self.step, "epoch": self.epoch, "position": self.position}

    @property
    def optimizers(self) -> tuple[torch.optim.Optimizer, ...]:
        if isinstance(self.optimizer, torch.optim.Optimizer):
            return (self.optimizer,)
        return tuple(self.optimizer)

    def tensors_and_rest(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        """The live tensors by name (what a checkpoint copies, or loads into), and all that is no tensor."""
        flat: dict[str, Any] = {f"model.{name}": value for name, value in get_model_state_dict(self.model).items()}
        if self.optimizers:
            with _gradients_aside(self.optimizers):
                state = get_optimizer_state_dict(self.model, self.optimizers, options=_FLAT)
            flat |= {f"optimizer.{name}": value for name, value in state.items()}
        for name, part in self.parts.items():
            if isinstance(part, nn.Module):
                flat |= {f"parts.{name}.{key}": value for key, value in get_model_state_dict(part).items()}
            else:
                flat[f"parts.{name}"] = part.state_dict()
        tensors = {name: value for name, value in flat.items() if isinstance(value, torch.Tensor)}
        return tensors, {name: value for name, value in flat.items() if name not in tensors}

    def load(self, tensors: dict[str, torch.Tensor], rest: dict[str, Any], place: Mapping[str, int]) -> None:
        """Take everything over: ``tensors`` as ``tensors_and_rest`` gave them, filled since; the rest as saved."""
        flat = tensors | rest
        set_model_state_dict(self.model, _under(flat, "model."))
        if self.optimizers:
            set_optimizer_state_dict(self.model, self.optimizers, _under(flat, "optimizer."), options=_FLAT)
        for name, part in self.parts.items():
            if isinstance(part, nn.Module):
                set_model_state_dict(part, _under(flat, f"parts.{name}."))
            else:
                _give_back(name, part, flat[f"parts.{name}"])
        self.step, self.epoch, self.position = place["step"], place["epoch"], place["position"]

    def buffers(self) -> dict[str, torch.Tensor]:
        """Buffers of the model as this rank has them: running statistics differ from rank to rank."""
        everything = self.model.state_dict(keep_vars=True)
        return {
            name: value.detach()
            for name, value in everything.items()
            if isinstance(value, torch.Tensor) and not isinstance(value, nn.Parameter)
        }

    @torch.no_grad()
    def load_buffers(self, saved: Mapping[str, torch.Tensor]) -> None:
        """Take over this rank's own ``buffers``; what another wrap calls otherwise stays as loaded."""
        for name, buffer in self.buffers().items():
            if name in saved:
                buffer.copy_(saved[name])


@contextmanager
def _gradients_aside(optimizers: Sequence[torch.optim.Optimizer]) -> Iterator[None]:
    """Torch gives a new optimizer its state by a step of rate 0, unless gradients are there, and drops them afterwards.

    Gradients of an optimizer without state are put aside meanwhile: they may be views that must stay (FlatGradients).
    """
    new = [optimizer for optimizer in optimizers if not optimizer.state]
    parameters = [parameter for optimizer in new for group in optimizer.param_groups for parameter in group["params"]]
    gradients = [parameter.grad for parameter in parameters]
    for parameter in parameters:
        parameter.grad = None
    yield
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient


def _give_back(name: str, part: Stateful, state: dict[str, Any]) -> None:
    try:
        part.load_state_dict(state)
    except Exception as error:  # of any kind: parts are the script's
        raise CheckpointError(
            f"the part {name!r} does not take its state back",
            cause=f"{type(error).__name__}: {error}",
            remedy="make it as in the run that wrote the checkpoint, or give this one a place of its own",
        ) from error


def _under(flat: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in flat.items() if name.startswith(prefix)}


def packed(value: Any) -> bytes:
    """``value`` as bytes that torch can read back."""
    data = io.BytesIO()
    torch.save(value, data)
    return data.getvalue()


def unpacked(data: bytes) -> Any:
    """The inverse of ``packed``. Unpickles: a checkpoint is code, and its folder is as trusted as the script."""
    return torch.load(io.BytesIO(data), map_location="cpu", weights_only=False)
