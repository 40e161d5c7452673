"""TorchTune fine-tuning: which recipe and config ``tune run`` gets, and what it supports (Trainer 2.3).

A TrainJob whose command is exactly ``tune run`` on a torch runtime is a TorchTune job. The model comes from the
runtime's name, recipe and config from nodes, processes and the arguments; paths that the runtime manages are carried
over from its command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sidings.api.trainer import processes, resources, runtimes, words

COMMAND = ["tune", "run"]
LORA = "model.lora_attn_modules"
QUANTIZE_BASE = "model.quantize_base"
USE_DORA = "model.use_dora"
LLAMA3_2_1B, LLAMA3_2_3B, LLAMA3_3_70B, QWEN2_5_1_5B = "llama3_2/1B", "llama3_2/3B", "llama3_3/70B", "qwen2_5/1.5B"
MODELS = (LLAMA3_2_1B, LLAMA3_2_3B, LLAMA3_3_70B, QWEN2_5_1_5B)
MANAGED_KEYS = ("output_dir", "tokenizer.path", "checkpointer.checkpoint_dir", "tokenizer.merges_file")
"""Config keys that only the runtime may set."""


@dataclass(frozen=True)
class Tuning:
    """A TorchTune job as far as recipe and config depend on it."""

    model: str
    nodes: int
    processes: str
    """A number or ``auto``."""
    gpus: int
    arguments: Sequence[str]

    @property
    def single_device(self) -> bool:
        return self.nodes == 1 and (self.processes == "1" or (self.processes == processes.AUTO and self.gpus == 1))

    @property
    def lora(self) -> bool:
        return any(LORA in argument for argument in self.arguments)

    @property
    def qlora(self) -> bool:
        return self._is_set(QUANTIZE_BASE) and not self._is_set(USE_DORA)

    def _is_set(self, key: str) -> bool:
        return any(argument.lower() == f"{key}=true" for argument in self.arguments)

    def command(self, job_name: str, runtime_command: Sequence[str]) -> list[str]:
        """The container's command; the TrainJob's arguments follow as its args."""
        recipe, config = self.recipe()
        return [
            *COMMAND,
            *([f"--rdzv_endpoint={words.master_host(job_name)}:{words.RENDEZVOUS_PORT}"] if self._distributed else []),
            recipe,
            "--config",
            f"{self.model}{config}",
            *(item for item in runtime_command if key_of(item) in MANAGED_KEYS),
        ]

    @property
    def _distributed(self) -> bool:
        if self.nodes > 1:
            return True
        return self.gpus > 1 if self.processes == processes.AUTO else int(self.processes) > 1

    def recipe(self) -> tuple[str, str]:
        """The recipe and the suffix of the config."""
        if self.nodes > 1:
            return "full_finetune_distributed", "_full_multinode"
        device = "single_device" if self.single_device else "distributed"
        suffix = "_single_device" if self.single_device else ""
        if self.qlora:
            return f"lora_finetune_{device}", f"_qlora{suffix}"
        if self.lora:
            return f"lora_finetune_{device}", f"_lora{suffix}"
        return f"full_finetune_{device}", f"_full{suffix}"


def is_torchtune(job: Mapping[str, Any]) -> bool:
    return ((job.get("spec") or {}).get("trainer") or {}).get("command") == COMMAND


def tuning_of(job: Mapping[str, Any], runtime: Mapping[str, Any], nodes: int) -> Tuning:
    """What ``job`` asks for; its number of processes may be ``gpu`` only in the 2.1 form, where it means ``auto``."""
    count = processes.processes_per_node(job, runtime)
    return Tuning(
        model=model_of(job["spec"]["runtimeRef"]["name"]),
        nodes=nodes,
        processes=processes.AUTO if count == processes.GPU else count,
        gpus=resources.gpus_of(resources.resources_per_node(job, runtime)),
        arguments=job["spec"]["trainer"].get("args") or (),
    )


def model_of(runtime_name: str) -> str:
    """``torchtune-llama3.2-1b`` -> ``llama3_2/1B``; ``""`` for a name of another form."""
    parts = runtime_name.split("-")
    if len(parts) != 3:
        return ""
    return f"{parts[1].replace('.', '_')}/{parts[2].upper()}"


def key_of(argument: str) -> str:
    return argument.partition("=")[0]


def runtime_command(template: Mapping[str, Any]) -> list[str]:
    """The command of the container that trains, in ``template``."""
    for replicated_job in runtimes.training_jobs(template):
        node = runtimes.named(runtimes.containers_of(replicated_job), words.NODE)
        if node is not None:
            return list(node.get("command") or ())
    return []
