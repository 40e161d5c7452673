"""TorchTune jobs: supported models, and what each recipe cannot do (``plugins/torch/torchtune.go``, 2.3)."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import fields
from sidings.api.fields import FieldError
from sidings.api.golang import in_struct_order
from sidings.api.trainer import torchtune
from sidings.api.trainer.rules.request import Request

_NAME = "spec.runtimeRef.name"
_NODES = "spec.trainer.numNodes"
_SMALL_LLAMAS = (torchtune.LLAMA3_2_1B, torchtune.LLAMA3_2_3B)


def check(request: Request) -> Iterator[FieldError]:
    if request.policy.get("torch") is None or not torchtune.is_torchtune(request.job):
        return
    yield from _check_managed_keys(request)
    runtime_name = request.spec["runtimeRef"]["name"]
    model = torchtune.model_of(runtime_name)
    if model not in torchtune.MODELS:
        detail = f"must have a supported pretrained model, invalid model configured: {model}"
        yield fields.invalid(_NAME, runtime_name, detail)
        return
    nodes = request.trainer.get("numNodes")
    tuning = torchtune.tuning_of(request.job, request.runtime, 1 if nodes is None else nodes)
    if tuning.nodes > 1 and model != torchtune.LLAMA3_3_70B:
        yield fields.invalid(_NODES, nodes, f"must be 1 for {model} model")
    if tuning.qlora and model == torchtune.QWEN2_5_1_5B:
        yield fields.invalid(_NAME, runtime_name, f"QLoRA is not supported for {model} model")
    if tuning.qlora and model in _SMALL_LLAMAS and not tuning.single_device:
        yield fields.invalid(
            "spec.trainer.numProcPerNode",
            request.trainer.get("numProcPerNode"),
            f"must be auto or 1 for {model} model when using QLoRA",
        )
        yield fields.invalid(
            "spec.trainer.resourcesPerNode",
            in_struct_order(request.trainer.get("resourcesPerNode")),
            f"must have gpu resource with value 1 for {model} model when using QLoRA",
        )
    if tuning.nodes > 1 and (tuning.lora or tuning.qlora):
        detail = "LoRA fine-tuning is not supported for multi-node training in TorchTune"
        yield fields.invalid(_NODES, nodes, detail)


def _check_managed_keys(request: Request) -> Iterator[FieldError]:
    for index, argument in enumerate(request.trainer.get("args") or ()):
        key = torchtune.key_of(argument)
        if key in torchtune.MANAGED_KEYS:
            detail = f'must not set immutable config "{key}" in trainer args; it is managed by the runtime'
            yield fields.invalid(f"spec.trainer.args[{index}]", argument, detail)
