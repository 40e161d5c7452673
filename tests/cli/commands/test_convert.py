from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest
import yaml

from sidings.cli.commands import convert
from sidings.cli.errors import NotConvertible
from tests.answers.conversion.jobs import pods, torch
from tests.cli import consoles


def test_yaml_on_stdout_and_what_is_otherwise_on_stderr(tmp_path: Path) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
    invocation = consoles.invocation(tmp_path, stdin=yaml.safe_dump_all([namespace, torch(elasticPolicy={})]))
    assert convert.run(Namespace(filename=["-"]), invocation) == 0
    first, second = yaml.safe_load_all(consoles.out(invocation.console))
    assert first == namespace
    assert second["kind"] == "TrainJob"
    assert 'PyTorchJob "old": lost: spec.elasticPolicy' in consoles.err(invocation.console)


def test_a_job_without_successor_is_an_error_with_its_place(tmp_path: Path) -> None:
    job = torch({"Master": pods(), "Worker": pods(pod={"hostNetwork": True})})
    invocation = consoles.invocation(tmp_path, stdin=yaml.safe_dump(job))
    with pytest.raises(NotConvertible, match='PyTorchJob "old"') as error:
        convert.run(Namespace(filename=["-"]), invocation)
    assert error.value.where.startswith("stdin:")
    assert "different pod templates" in error.value.cause
