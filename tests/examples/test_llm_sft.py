"""llm-sft: the model is what it says, and training sharded on two ranks goes on after a kill as if nothing had been."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from tests.examples import torchrun

SFT = Path(__file__).parents[2] / "examples" / "llm-sft"
# config.json of ibm-granite/granite-3.1-8b-instruct, as far as model.py reads it.
GRANITE = {
    "vocab_size": 49155, "hidden_size": 4096, "intermediate_size": 12800, "num_hidden_layers": 40,
    "num_attention_heads": 32, "num_key_value_heads": 8, "tie_word_embeddings": True, "rope_theta": 10_000_000.0,
    "attention_multiplier": 0.0078125, "residual_multiplier": 0.22, "embedding_multiplier": 12.0,
    "logits_scaling": 16.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> ModuleType:
    spec = importlib.util.spec_from_file_location("llm_sft_model", SFT / "model.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_granites_config_gives_its_size(model: ModuleType) -> None:
    with torch.device("meta"):
        decoder = model.Decoder(model.Config(**GRANITE))
    assert sum(parameter.numel() for parameter in decoder.parameters()) == 8_170_848_256


def test_a_token_sees_only_what_was_before(model: ModuleType) -> None:
    torch.manual_seed(1)
    decoder = model.Decoder(model.Config.read(SFT / "sizes.json", "tiny"))
    seen: list[torch.Tensor] = []
    decoder.norm.register_forward_hook(lambda module, inputs, output: seen.append(output.detach()))
    tokens = torch.randint(0, 257, (1, 12))
    decoder(tokens, tokens)
    tokens[0, 8] = (tokens[0, 8] + 1) % 257
    decoder(tokens, tokens)
    assert torch.allclose(seen[0][:, :8], seen[1][:, :8], atol=1e-6)
    assert not torch.allclose(seen[0][:, 8:], seen[1][:, 8:], atol=1e-3)


def test_positions_matter(model: ModuleType) -> None:
    torch.manual_seed(1)
    decoder = model.Decoder(model.Config.read(SFT / "sizes.json", "tiny"))
    seen: list[torch.Tensor] = []
    decoder.norm.register_forward_hook(lambda module, inputs, output: seen.append(output.detach()))
    for tokens in (torch.tensor([[5, 9, 7]]), torch.tensor([[9, 5, 7]])):
        decoder(tokens, tokens)
    assert not torch.allclose(seen[0][0, 2], seen[1][0, 2], atol=1e-5)


def start(folder: Path, checkpoints: str) -> subprocess.Popen[str]:
    data = ["--text", str(folder / "text"), "--work", str(folder / "work"), "--length", "32", "--batch-size", "2"]
    how = ["--shard", "--accumulate", "2", "--recompute", "--checkpoint-every", "20", "--report-every", "1"]
    return torchrun.start(SFT / "train.py", *data, *how, "--checkpoints", str(folder / checkpoints))


def losses(printed: str) -> dict[int, float]:
    return {int(step): float(loss) for step, loss in re.findall(r"^step (\d+)/\d+ loss (\S+)", printed, re.MULTILINE)}


@pytest.mark.slow
@pytest.mark.e2e
def test_killed_and_started_again_it_learns_the_same(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("".join(f"{number} plus {number} is {2 * number}.\n" for number in range(1200)))
    printed, errors = start(tmp_path, "whole").communicate()
    whole = losses(printed)
    assert whole, errors[-2000:]
    assert whole[max(whole)] < 0.6 * whole[1]
    torchrun.kill_a_rank(start(tmp_path, "parts"), tmp_path / "parts")
    printed, errors = start(tmp_path, "parts").communicate()
    rest = losses(printed)
    assert "resumed from" in printed, errors[-2000:]
    assert rest == {step: loss for step, loss in whole.items() if step >= min(rest)}
    assert max(rest) == max(whole)
