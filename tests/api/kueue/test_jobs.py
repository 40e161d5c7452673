"""What Kueue's webhooks refuse of a Job that may be admitted with fewer pods."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.kueue import jobs, keys
from sidings.api.resources import JOB_SETS, JOBS

INDEXED = {"completionMode": "Indexed", "parallelism": 4, "completions": 4, "template": {}}


def messages(annotations: dict[str, str], **spec: Any) -> list[str]:
    job = {"metadata": {"name": "j", "annotations": annotations}, "spec": {**INDEXED, **spec}}
    assert list(jobs.errors(JOB_SETS, job)) == [], "other kinds have no such annotations"
    return [error.text.partition(": ")[2].partition(": ")[2] for error in jobs.errors(JOBS, job)]


@pytest.mark.parametrize(("least", "refused"), [("1", False), ("3", False), ("0", True), ("4", True), ("x", True)])
def test_fewer_pods_than_asked_for_but_some(least: str, refused: bool) -> None:
    assert bool(messages({keys.MIN_PARALLELISM: least})) is refused


def test_completions_follow_parallelism_only_where_that_can_be() -> None:
    annotations = {keys.MIN_PARALLELISM: "2", keys.COMPLETIONS_EQUAL_PARALLELISM: "true"}
    assert messages(annotations) == []
    assert messages(annotations, completionMode="NonIndexed") == ["should not be enabled for NonIndexed jobs"]
    assert len(messages(annotations, completions=8)) == 1
    assert messages({keys.COMPLETIONS_EQUAL_PARALLELISM: "yes"}) == ['strconv.ParseBool: parsing "yes": invalid syntax']
    assert messages({keys.COMPLETIONS_EQUAL_PARALLELISM: "false"}, completionMode="NonIndexed") == []
