"""AdmissionCheck between v1beta1 and v1beta2."""

from __future__ import annotations

from sidings.api.kueue.conversion import admission_check


def test_the_retry_delay_is_dropped() -> None:
    assert admission_check.to_stored({"spec": {"controllerName": "c", "retryDelayMinutes": 15}}) == {
        "spec": {"controllerName": "c"}
    }
