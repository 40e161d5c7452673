"""Processes per node (cases T1 to T8 of Trainer 2.3, and the words of 2.0/2.1)."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.trainer import processes
from tests.trainjobs import runtime, train_job

GPUS = {"limits": {"nvidia.com/gpu": 4, "cpu": 6}}


@pytest.mark.parametrize(
    ("wanted", "given", "count"),
    [
        (None, {"requests": {"cpu": 4}}, "4"),
        (None, None, "1"),
        (None, {"limits": {"cpu": "0.7"}}, "1"),
        (None, GPUS, "auto"),
        (3, {"limits": {"cpu": 8}}, "3"),
        (3, GPUS, "3"),
        ("auto", GPUS, "auto"),
        ("auto", {"limits": {"cpu": 6}}, "6"),
        ("gpu", GPUS, "gpu"),
        ("cpu", GPUS, "6"),
        ("cpu", None, "1"),
        ("2", GPUS, "2"),
    ],
)
def test_count(wanted: Any, given: Object | None, count: str) -> None:
    trainer = {"numProcPerNode": wanted, "resourcesPerNode": given}
    job = train_job({key: value for key, value in trainer.items() if value is not None})
    assert processes.processes_per_node(job, runtime(policy={"torch": {}})) == count


def test_runtime_of_the_old_form_has_a_default() -> None:
    old = runtime(policy={"torch": {"numProcPerNode": "cpu"}})
    assert processes.processes_per_node(train_job({"resourcesPerNode": GPUS}), old) == "6"
    assert processes.processes_per_node(train_job({"numProcPerNode": 2}), old) == "2"


@pytest.mark.parametrize("word", ["auto", "cpu", "gpu", "1", "16"])
def test_words(word: str) -> None:
    assert processes.is_valid_word(word)


@pytest.mark.parametrize("word", ["", "all", "0", "-1", "1.5", "²"])
def test_other_words(word: str) -> None:
    assert not processes.is_valid_word(word)
