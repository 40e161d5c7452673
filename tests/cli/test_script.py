import random
import re
from argparse import Namespace
from pathlib import Path

import pytest

from sidings.cli import script
from sidings.cli.errors import UsageError
from tests.cli.consoles import invocation


def args(*words: str, **more: object) -> Namespace:
    return Namespace(**{"script": list(words), "name": "", "nodes": None, "gpus": None, "procs": None, **more})


def test_a_script_becomes_a_train_job_of_the_torch_runtime(tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    found = script.document(args("train.py", "--epochs", "3", nodes=2, gpus=1), invocation(tmp_path)).obj
    assert found["kind"] == "TrainJob"
    assert found["spec"]["runtimeRef"] == {"name": "torch-distributed"}
    assert found["spec"]["trainer"] == {
        "numNodes": 2,
        "command": ["torchrun", str(tmp_path / "train.py"), "--epochs", "3"],
        "resourcesPerNode": {"requests": {"nvidia.com/gpu": 1}, "limits": {"nvidia.com/gpu": 1}},
    }


def test_pods_see_the_folder_it_was_started_in(tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    found = script.document(args("train.py"), invocation(tmp_path)).obj
    [patch] = found["spec"]["runtimePatches"]
    [job] = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    assert job["name"] == "node"
    assert job["template"]["spec"]["template"]["metadata"]["annotations"] == {
        "sidings.dev/working-directory": str(tmp_path)
    }


def test_a_missing_script_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no script nothing"):
        script.document(args("nothing.py"), invocation(tmp_path))


@pytest.mark.parametrize("too_low", [{"nodes": 0}, {"nodes": -1}, {"gpus": -1}, {"procs": 0}])
def test_numbers_too_low_are_wrong_usage(tmp_path: Path, too_low: dict[str, int]) -> None:
    (tmp_path / "train.py").touch()
    with pytest.raises(UsageError, match="is too low"):
        script.document(args("train.py", **too_low), invocation(tmp_path))


@pytest.mark.parametrize(
    ("stem", "start"),
    [("train", "train-"), ("My_Script v2", "my-script-v2-"), ("02-train", "run-02-train-"), ("x" * 80, "x" * 34)],
)
def test_names_are_dns_labels(stem: str, start: str) -> None:
    name = script.generated_name(stem, random.Random(1))
    assert name.startswith(start)
    assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", name)
    assert len(name) <= script.NAME_LIMIT


def test_names_differ(tmp_path: Path) -> None:
    rng = random.Random(1)
    assert script.generated_name("train", rng) != script.generated_name("train", rng)
