from datetime import timedelta

import pytest

from sidings.controllers.job.backoff import NO_FAILURES, Backoff, delay
from tests.controllers.job.jobs import NOW, make_pod


def failed(ended: float) -> dict:
    return make_pod(phase="Failed", ended=ended)


def succeeded(ended: float) -> dict:
    return make_pod(phase="Succeeded", ended=ended)


@pytest.mark.parametrize(("failures", "seconds"), [(0, 0), (1, 10), (2, 20), (3, 40), (7, 600), (1000, 600)])
def test_the_pause_doubles_up_to_ten_minutes(failures: int, seconds: float) -> None:
    assert delay(failures, NOW, NOW) == seconds


def test_the_pause_runs_from_the_last_failure() -> None:
    backoff = NO_FAILURES.after([], [failed(-4), failed(-7)])
    assert backoff == Backoff(2, NOW - timedelta(seconds=4))
    assert backoff.remaining(NOW) == 16
    assert backoff.remaining(NOW + timedelta(seconds=20)) == 0


def test_nobody_waits_for_a_failure_that_lies_in_the_future() -> None:
    """The clock was set back; until the old time has come again could be hours."""
    assert delay(3, NOW + timedelta(hours=1), NOW) == 0


def test_failures_add_up_over_passes() -> None:
    assert NO_FAILURES.after([], [failed(-9)]).after([], [failed(-1)]).failures == 2


def test_a_pass_without_news_changes_nothing() -> None:
    backoff = Backoff(3, NOW)
    assert backoff.after([], []) is backoff


def test_a_success_wipes_out_the_failures_before_it() -> None:
    assert Backoff(5, NOW).after([succeeded(0)], []) == NO_FAILURES
    assert NO_FAILURES.after([succeeded(-5)], [failed(-9), failed(-2)]).failures == 1
    assert NO_FAILURES.after([succeeded(-5)], [failed(-9)]) == NO_FAILURES
