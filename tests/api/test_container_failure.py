"""Containers that failed: which life of one is read, and who was first."""

from __future__ import annotations

import pytest

from sidings.api import container_failure
from sidings.api.objects import Object


def pod(**states: tuple[int, str]) -> Object:
    """A pod with one container; ``state=(code, reason)``, ``lastState=...``."""
    ended = {
        field: {"terminated": {"exitCode": code, "reason": reason, "finishedAt": f"2026-01-01T00:00:0{number}Z"}}
        for number, (field, (code, reason)) in enumerate(reversed(states.items()))
    }
    return {"metadata": {"name": "p"}, "status": {"containerStatuses": [{"name": "node", **ended}]}}


@pytest.mark.parametrize(
    ("of", "code", "previous"),
    [
        (pod(state=(1, "Error")), 1, False),
        (pod(lastState=(3, "Error")), 3, True),
        (pod(state=(2, "Error"), lastState=(1, "Error")), 2, False),
        (pod(state=(143, "Error"), lastState=(1, "Error")), 1, True),
        (pod(state=(137, "Error"), lastState=(1, "Error")), 1, True),
        (pod(state=(137, "OOMKilled"), lastState=(1, "Error")), 137, False),
        (pod(state=(143, "Error"), lastState=(0, "Completed")), 143, False),
        (pod(state=(143, "Error"), lastState=(137, "Error")), 143, False),
    ],
)
def test_the_life_that_tells_what_went_wrong(of: Object, code: int, previous: bool) -> None:
    [found] = container_failure.of(of)
    assert (found.exit_code, found.previous) == (code, previous)


def test_who_ended_well_or_has_not_ended_is_no_failure() -> None:
    assert list(container_failure.of(pod(state=(0, "Completed")))) == []
    assert list(container_failure.of({"metadata": {"name": "p"}})) == []


def test_in_one_second_those_stopped_from_outside_come_last() -> None:
    moments = [next(container_failure.of(pod(state=end))).moment for end in ((143, "Error"), (137, "OOMKilled"))]
    assert sorted(moments) == moments[::-1]
