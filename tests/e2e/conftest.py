"""Engines for tests: one that a test starts itself, and one that the tests of a module share."""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.e2e.machine import POC, Machine
from tests.e2e.report import report

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs and their children ignore it


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails tells what its machines looked like."""
    made = yield
    if made.failed and call.when == "call":
        machines = (value for value in item.funcargs.values() if isinstance(value, Machine))
        made.sections += [(f"machine {each.folder}", report(each)) for each in dict.fromkeys(machines)]
    return made


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """Nothing runs yet; whatever the test started is stopped afterwards."""
    it = Machine(tmp_path)
    yield it
    it.sidings("down", "--force")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """Four nodes with one simulated GPU each, for all tests of a module; nothing of it is left afterwards."""
    it = Machine(tmp_path_factory.mktemp("engine"))
    try:
        it.ok("up", "--nodes", "4", "--cpu", "8", "--memory", "64Gi", "--gpus-per-node", "1", "--simulate-gpus")
        yield it
    finally:
        it.ok("down", "--force")
    assert it.leftovers() == []


@pytest.fixture
def cluster(engine: Machine) -> Iterator[Machine]:
    """The module's engine, without anything that an earlier test made."""
    yield engine
    engine.kubectl("delete", "namespace", POC, "--ignore-not-found")
    engine.kubectl("delete", "trainjobs,pytorchjobs,jobsets,jobs,pods,persistentvolumeclaims", "--all", "--now")
