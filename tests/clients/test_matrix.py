"""The real kubectl, old and new, on everything that the API serves: a part of it here, the whole in `make soak`."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from sidings.api import catalog
from tests.clients import commands, matrix
from tests.clients.kubectl import PACKAGED, Client, Kubectl, found, version_of
from tests.e2e.machine import Machine

SAMPLES_IN_CI = 5


def test_every_kind_served_has_a_sample() -> None:
    served = {f"{kind.resource.kind} ({kind.resource.api_version})" for kind in catalog.builtin()}
    elsewhere = {title for title in served if title.split(" ")[0] in commands.TESTED_ELSEWHERE}
    assert {sample.title for sample in commands.samples()} == served - elsewhere


def test_the_page_has_every_command_and_every_kind_and_no_failure() -> None:
    text = matrix.PAGE.read_text()
    again = "write it anew: python -m tests.clients.matrix"
    assert "FAILED" not in text
    rows = {line.split(" | ")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| ")}
    shown = [command.shown.replace("|", "\\|") for members in commands.groups().values() for command in members]
    assert {f"`{command}`" for command in shown} <= rows, again
    assert {sample.title for sample in commands.samples()} <= rows, again
    assert len(text.split("Clients: ")[1].split("\n")[0].split(", ")) >= 2, again


def test_versions_are_told_apart() -> None:
    assert version_of(PACKAGED).startswith("1.")
    assert version_of(Path("/bin/false")) == ""
    versions = [kubectl.version for kubectl in found()]
    assert len(versions) == len(set(versions))
    assert Kubectl(PACKAGED, "1.29.14").minor == 29


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_the_newest_kubectl_on_all_commands_and_some_kinds(machine: Machine, tmp_path: Path) -> None:
    newest = found()[-1]
    seed = int(os.environ.get("FAULT_SEED") or random.randrange(10**6))
    some = random.Random(seed).sample(commands.samples(), SAMPLES_IN_CI)
    matrix.engine_for(machine, [newest])
    results = matrix.run(Client(newest, machine.home / "kubeconfig", tmp_path / "client", "node-1"), some)
    assert results.failures == [], f"seed {seed}"


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_every_kubectl_on_everything(machine: Machine, tmp_path: Path) -> None:
    kubectls = found()
    matrix.engine_for(machine, kubectls)
    for results in matrix.run_all(machine, kubectls, tmp_path / "clients"):
        assert results.failures == [], results.kubectl.version
