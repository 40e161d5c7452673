"""The condition PodsReady."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sidings.api.conditions import find
from sidings.api.objects import Object
from sidings.controllers.kueue import words, workload_status
from sidings.controllers.kueue.jobs import pods_ready

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def workload(*, admitted: bool, known: tuple[str, str] | None = None) -> Object:
    obj: Object = {"metadata": {"name": "w", "generation": 1}, "spec": {}}
    if admitted:
        workload_status.set_condition(obj, words.ADMITTED, "True", "Admitted", "", NOW)
    if known:
        message = {"True": words.STARTED_MESSAGE, "False": words.WAIT_FOR_RECOVERY_MESSAGE}[known[0]]
        workload_status.set_condition(obj, words.PODS_READY, known[0], known[1], message, NOW)
    return obj


@pytest.mark.parametrize(
    ("admitted", "ready", "known", "expected"),
    [
        (False, False, None, ("False", "WaitForStart")),
        (True, False, None, ("False", "WaitForStart")),
        (True, True, None, ("True", "Started")),
        (True, False, ("True", "Started"), ("False", "WaitForRecovery")),
        (True, False, ("False", "WaitForRecovery"), ("False", "WaitForRecovery")),
        (True, True, ("False", "WaitForRecovery"), ("True", "Recovered")),
        (True, True, ("True", "Recovered"), ("True", "Recovered")),
        (False, False, ("False", "WaitForRecovery"), ("False", "WaitForStart")),
    ],
)
def test_it_follows_the_pods(
    admitted: bool, ready: bool, known: tuple[str, str] | None, expected: tuple[str, str]
) -> None:
    obj = workload(admitted=admitted, known=known)
    changed = pods_ready.update(obj, ready, NOW)
    condition = find(obj["status"]["conditions"], words.PODS_READY) or {}
    assert (condition["status"], condition["reason"]) == expected
    assert changed == (known != expected)
