import json
import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

import pytest

from sidings.cli.commands import up
from sidings.cli.errors import UsageError
from sidings.host import daemon
from sidings.host.home import Home
from sidings.host.options import EngineOptions
from sidings.node.sandbox import notes, zygote
from sidings.node.sandbox.tier import Kind, Tier
from tests.cli.consoles import invocation, out


def parsed(*words: str) -> Namespace:
    parser = ArgumentParser()
    up.configure(parser)
    return parser.parse_args(words)


def test_nothing_typed_is_nothing_given(tmp_path: Path) -> None:
    assert set(up.given(parsed(), invocation(tmp_path)).values()) == {None}


def test_what_was_typed_becomes_options(tmp_path: Path) -> None:
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").touch()
    nodes = ("--nodes", "2", "--simulate-gpus", "--gpus-per-node", "1", "--image", "a/*=venv")
    args = parsed(*nodes, "--kubeconfig", "k", "--feature-gates", "RestartJob=true")
    assert EngineOptions().with_given(up.given(args, invocation(tmp_path))) == EngineOptions(
        nodes=2,
        gpus_per_node=1,
        simulate_gpus=True,
        images=(("a/*", f"{tmp_path}/venv"),),
        kubeconfig=f"{tmp_path}/k",
        feature_gates="RestartJob=true",
    )


def test_a_unit_is_printed_and_its_options_are_remembered(tmp_path: Path) -> None:
    told = invocation(tmp_path, {"SIDINGS_HOME": str(tmp_path / "home")})
    assert up.run(parsed("--systemd-unit", "--nodes", "3", "--log-format", "json"), told) == 0
    options = daemon.remembered(Home(tmp_path / "home"))
    assert (options.nodes, options.log_format) == (3, "json")
    assert f"Environment=SIDINGS_HOME={tmp_path}/home\n" in out(told.console)


@pytest.mark.parametrize("text", ["pattern", "=/prefix", "pattern="])
def test_an_image_needs_a_pattern_and_a_prefix(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        up.given(parsed("--image", text), invocation(tmp_path))
    assert caught.value.remedy == "--image 'pytorch/*=/opt/venv'"


@pytest.mark.parametrize(
    "words", [("--image", "a/*=nothing"), ("--kubeconfig", "no/such/folder"), ("--kubeconfig", ".")]
)
def test_paths_that_cannot_be_are_refused_at_once(tmp_path: Path, words: tuple[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        up.given(parsed(*words), invocation(tmp_path))
    assert caught.value.what.startswith(" ".join(words))
    assert caught.value.cause


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (EngineOptions(nodes=0), "no nodes: API server and controllers only"),
        (EngineOptions(cpu="8", memory="64Gi"), "1 node: 8 cpu, 64Gi memory"),
        (
            EngineOptions(nodes=2, cpu="8", memory="64Gi", gpus_per_node=2, simulate_gpus=True),
            "2 nodes, each 8 cpu, 64Gi memory, 2 simulated GPUs",
        ),
    ],
)
def test_nodes_are_described_in_words(options: EngineOptions, text: str) -> None:
    assert up.describe_nodes(options) == text


@pytest.mark.parametrize(
    ("kind", "said"), [(Kind.NAMESPACES, ""), (Kind.LIBRARY, "Pods are processes of this machine; a preloaded")]
)
def test_less_than_full_namespaces_is_said(tmp_path: Path, kind: Kind, said: str) -> None:
    here = Home(tmp_path)
    assert up.lesser_tier(here) == "", "there are no nodes"
    here.nodes.mkdir()
    notes.write(here.nodes / zygote.NAME_SERVER, os.getpid())
    (here.nodes / "tier.json").write_text(json.dumps(Tier(kind).to_json()))
    assert up.lesser_tier(here)[: len(said) or None] == said
