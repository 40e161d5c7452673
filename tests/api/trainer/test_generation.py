from __future__ import annotations

from typing import Any

import pytest

from sidings.api.trainer.generation import Generation, generation_of
from tests.trainjobs import patch, train_job


@pytest.mark.parametrize(
    "spec",
    [
        {"podTemplateOverrides": [{"targetJobs": [{"name": "node"}]}]},
        {"podSpecOverrides": [{"targetJobs": [{"name": "node"}]}]},
        {"labels": {"team": "fraud"}},
        {"annotations": {"a": "b"}},
        {"trainer": {"numProcPerNode": "auto"}},
    ],
)
def test_fields_that_trainer_2_2_removed_mean_2_1(spec: dict[str, Any]) -> None:
    assert generation_of(train_job(**spec)) is Generation.V2_1


def test_everything_else_is_current() -> None:
    assert generation_of(train_job()) is Generation.V2_3
    assert generation_of(train_job({"numProcPerNode": 2}, runtimePatches=[patch()], labels={})) is Generation.V2_3
