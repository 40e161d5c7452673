"""How a model is spread over the ranks: whole on each (DDP), or in shards (FSDP2).

DDP is for what fits: one all-reduce of the gradients a step, overlapped with backward. FSDP is for what does not:
each rank keeps a share of weights, gradients and optimizer state, and gathers a layer's weights when it comes to it.
Which layers are units is the policy that matters; they are named by class. Build the optimizer afterwards, from the
model that is returned.
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint

from sidings_train.errors import TrainError
from sidings_train.pace import Pace
from sidings_train.world import World


def ddp(model: nn.Module, world: World) -> nn.Module:
    """``model`` with its gradients averaged over the ranks in backward; itself in a world of one.

    Gradients are views of the buckets that travel: one copy less of them in memory.
    """
    if world.size == 1:
        return model
    ids = [world.device.index] if world.device.type == "cuda" else None
    wrapped = DistributedDataParallel(model, device_ids=ids, gradient_as_bucket_view=True)
    if world.watch:
        _mark_exchanges(wrapped, world.watch.pace)
    return wrapped


def fsdp(
    model: nn.Module,
    world: World,
    layers: type[nn.Module] | tuple[type[nn.Module], ...],
    *,
    compute: torch.dtype | None = None,
    reduce: torch.dtype = torch.float32,
    reshard_after_forward: bool = True,
) -> nn.Module:
    """``model``, sharded in place. Modules of the classes ``layers`` are gathered one at a time, the rest at once.

    ``compute``: weights are gathered and used in this type (bfloat16), while shards and optimizer stay as they are.
    ``reduce``: gradients are averaged in this type. ``reshard_after_forward=False`` keeps weights until backward:
    faster, and as large as DDP's.
    """
    mesh = init_device_mesh(world.device.type, (world.size,))
    policy = MixedPrecisionPolicy(param_dtype=compute, reduce_dtype=reduce if compute else None)
    shard = partial(fully_shard, mesh=mesh, mp_policy=policy, reshard_after_forward=reshard_after_forward)
    for layer in _modules_of(model, layers):
        shard(layer)
    shard(model)
    if world.watch:
        _mark_exchanges(model, world.watch.pace)
    return model


def checkpoint_activations(model: nn.Module, layers: type[nn.Module] | tuple[type[nn.Module], ...]) -> None:
    """Modules of the classes ``layers`` keep only their input and compute the rest again in backward.

    A third more compute for memory of one layer instead of all. Before ``ddp`` or ``fsdp``; names of parameters stay.
    """
    for layer in _modules_of(model, layers):
        layer.forward = partial(checkpoint, layer.forward, use_reentrant=False)


def _mark_exchanges(model: nn.Module, pace: Pace) -> None:
    """Tell ``pace`` where ranks wait for each other: from DDP's backward, or FSDP's forward, to optimizer.step."""
    sharded = isinstance(model, FSDPModule)

    def begins(*_: object) -> None:
        pace.begins()

    def before_forward(module: nn.Module, args: object) -> None:
        if module.training and torch.is_grad_enabled():
            pace.begins()

    def after_forward(module: nn.Module, args: object, output: object) -> None:
        if module.require_backward_grad_sync and torch.is_grad_enabled():  # not while gradients are accumulated
            losses = [leaf for leaf in tree_leaves(output) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
            for loss in losses[:1]:
                cast(Any, loss).register_hook(begins)

    if sharded:
        model.register_forward_pre_hook(before_forward)
    else:
        model.register_forward_hook(after_forward)
    # Of all optimizers: which of them has the model's parameters is not known here, and a run has its own only.
    register_optimizer_step_pre_hook(lambda *_: pace.ends())


def _modules_of(model: nn.Module, layers: type[nn.Module] | tuple[type[nn.Module], ...]) -> list[nn.Module]:
    found = [module for module in model.modules() if isinstance(module, layers)]
    if not found:
        names = ", ".join(kind.__name__ for kind in (layers if isinstance(layers, tuple) else (layers,)))
        raise TrainError(f"the model has no module of class {names}", remedy="name the class of its repeated block")
    return found
