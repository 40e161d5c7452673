"""llm-sft: the model is what it says, and training on two ranks, sharded or whole, goes on as if nothing had been."""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest
import torch

from tests.examples import torchrun
from tests.s3.served import served

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


SHARDED = ("--shard", "--recompute")


def start(folder: Path, checkpoints: str, *how: str, environ: Mapping[str, str] = os.environ) -> subprocess.Popen[str]:
    data = ["--text", str(folder / "text"), "--work", str(folder / "work"), "--length", "32", "--batch-size", "2"]
    every = ["--accumulate", "2", "--checkpoint-every", "20", "--report-every", "0"]
    return torchrun.start(SFT / "train.py", *data, *every, *how, "--checkpoints", checkpoints, environ=environ)


def losses(printed: str) -> dict[int, float]:
    told = re.findall(r"^step (\d+)/\d+ \d+% loss (\S+)", printed, re.MULTILINE)
    return {int(step): float(loss) for step, loss in told}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sft")
    (folder / "text").write_text("".join(f"{number} plus {number} is {2 * number}.\n" for number in range(800)))
    return folder


@pytest.fixture(scope="module")
def whole(folder: Path) -> dict[int, float]:
    """The losses of a run that nobody interrupts."""
    held_out = ["--held-out", str(folder / "text"), "--tensorboard", str(folder / "curves")]
    printed, errors = start(folder, str(folder / "whole"), *SHARDED, *held_out).communicate()
    found = losses(printed)
    assert found, errors[-2000:]
    assert found[max(found)] < 0.6 * found[1]
    evaluated = re.search(r"^step (\d+)/\1 100% evaluated: loss (\S+) perplexity", printed, re.MULTILINE)
    assert evaluated and float(evaluated[2]) == pytest.approx(found[max(found)], rel=0.2), "it was trained on this text"
    assert list((folder / "curves").iterdir())
    return found


@pytest.mark.slow
@pytest.mark.e2e
def test_too_little_text_for_two_is_said_by_both(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("x" * 40)
    _, errors = start(tmp_path, str(tmp_path / "c")).communicate()
    assert "TrainError: text: 1 windows of 32 tokens for 2 processes" in errors
    assert "help: more text, a shorter --length, or fewer processes" in errors


@pytest.mark.slow
@pytest.mark.e2e
def test_killed_and_started_again_it_learns_the_same(folder: Path, whole: dict[int, float]) -> None:
    torchrun.kill_a_rank(start(folder, str(folder / "parts"), *SHARDED), folder / "parts")
    printed, errors = start(folder, str(folder / "parts"), *SHARDED).communicate()
    rest = losses(printed)
    assert "resumed from" in printed, errors[-2000:]
    assert rest == {step: loss for step, loss in whole.items() if step >= min(rest)}
    assert max(rest) == max(whole)


@pytest.mark.slow
@pytest.mark.e2e
def test_whole_on_each_rank_then_sharded_with_its_checkpoints_in_a_bucket(
    folder: Path, whole: dict[int, float], tmp_path: Path
) -> None:
    pytest.importorskip("obstore")
    (tmp_path / "data").mkdir()
    with served(tmp_path) as bucket:
        environ = os.environ | bucket
        first = torchrun.stop(start(folder, "s3://data/sft", environ=environ), tmp_path / "data" / "sft")
        stopped = re.search(r"^stopped by SIGTERM at step (\d+)", first, re.MULTILINE)
        assert stopped
        then, errors = start(folder, "s3://data/sft", *SHARDED, environ=environ).communicate()
    assert f"resumed from s3://data/sft/step-{int(stopped[1]):08d}/" in then, errors[-2000:]
    both = losses(first) | losses(then)
    assert min(losses(then)) == int(stopped[1]) + 1
    assert both == pytest.approx(whole, rel=1e-3), "a model in shards learns what a whole one does"
