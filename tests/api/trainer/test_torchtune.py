"""The command of TorchTune jobs (cases TT1 to TT5, and the table of recipes)."""

from __future__ import annotations

import pytest

from sidings.api.trainer import torchtune
from sidings.api.trainer.torchtune import Tuning
from tests.trainjobs import runtime, train_job, trainer_job

LORA = "model.lora_attn_modules=[q_proj]"
QLORA = "model.quantize_base=True"
DORA = "model.use_dora=True"
RDZV = "--rdzv_endpoint=tj-node-0-0.tj:29500"


@pytest.mark.parametrize(
    ("nodes", "processes", "gpus", "arguments", "tail"),
    [
        (30, "3", 0, [], f"{RDZV} full_finetune_distributed --config m_full_multinode"),
        (1, "auto", 2, [LORA], f"{RDZV} lora_finetune_distributed --config m_lora"),
        (1, "auto", 1, [QLORA], "lora_finetune_single_device --config m_qlora_single_device"),
        (1, "auto", 1, [LORA], "lora_finetune_single_device --config m_lora_single_device"),
        (1, "auto", 2, [QLORA, DORA, LORA], f"{RDZV} lora_finetune_distributed --config m_lora"),
        (1, "auto", 2, [QLORA, LORA], f"{RDZV} lora_finetune_distributed --config m_qlora"),
        (1, "1", 2, [], "full_finetune_single_device --config m_full_single_device"),
        (1, "auto", 0, [], "full_finetune_distributed --config m_full"),
    ],
)
def test_recipe_and_config(nodes: int, processes: str, gpus: int, arguments: list[str], tail: str) -> None:
    tuning = Tuning("m", nodes, processes, gpus, arguments)
    assert " ".join(tuning.command("tj", [])) == f"tune run {tail}"


def test_managed_paths_follow_the_config() -> None:
    runtime_command = ["tune", "run", "output_dir=/o", "other.key=1", "tokenizer.path=/t"]
    command = Tuning("m", 1, "1", 0, []).command("tj", runtime_command)
    assert command[-2:] == ["output_dir=/o", "tokenizer.path=/t"]


@pytest.mark.parametrize(
    ("name", "model"),
    [("torchtune-llama3.2-1b", "llama3_2/1B"), ("torchtune-qwen2.5-1.5b", "qwen2_5/1.5B"), ("torchtune", "")],
)
def test_model_comes_from_the_runtimes_name(name: str, model: str) -> None:
    assert torchtune.model_of(name) == model


def test_what_a_job_asks_for() -> None:
    rt = runtime(trainer_job(resources={"limits": {"nvidia.com/gpu": 2}}), policy={"torch": {}})
    job = train_job({"command": ["tune", "run"], "args": [LORA]}, runtime_name="torchtune-llama3.2-1b")
    assert torchtune.is_torchtune(job)
    assert torchtune.tuning_of(job, rt, 1) == Tuning("llama3_2/1B", 1, "auto", 2, [LORA])
    assert not torchtune.is_torchtune(train_job({"command": ["tune"]}))
