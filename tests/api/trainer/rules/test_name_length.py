"""Names that leave room for those of pods."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.api.trainer.rules import name_length
from sidings.api.trainer.rules.request import Request
from tests.trainjobs import replicated_job, runtime, train_job, trainer_job


def errors(length: int, trainer: Object | None = None, *jobs: Object, old: Object | None = None) -> list[str]:
    job = train_job(trainer, name="t" * length)
    made = runtime(*jobs, policy={"torch": {}})
    return [str(error) for error in name_length.check(Request(job=job, old=old, runtime=made, job_set=None))]


@pytest.mark.parametrize(("nodes", "longest"), [(1, 48), (10, 48), (11, 47), (101, 46)])
def test_digits_of_ranks_count(nodes: int, longest: int) -> None:
    assert errors(longest, {"numNodes": nodes}) == []
    (error,) = errors(longest + 1, {"numNodes": nodes})
    assert f"64 characters where 63 may be; use at most {longest}" in error


def test_every_part_counts() -> None:
    side = replicated_job("preprocessing-of-data", job_spec={"parallelism": 20}) | {"replicas": 12}
    assert errors(29, {}, trainer_job(), side) == []
    (error,) = errors(30, {}, trainer_job(), side)
    assert "-preprocessing-of-data-11-19-abcde" in error


def test_what_is_there_already_can_be_changed() -> None:
    assert errors(60, {}, old=train_job()) == []
