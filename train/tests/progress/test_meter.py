"""Sums between two reports, and what follows from them."""

from __future__ import annotations

from sidings_train.progress.meter import Interval, Meter


def test_an_interval_has_what_happened_in_it_alone() -> None:
    meter = Meter(100.0)
    meter.waited(1.0)
    meter.communicated(2.0)
    meter.stepped(512)
    meter.stepped(512)
    assert meter.age(108.0) == 8.0
    assert meter.take(110.0) == Interval(2, 1024, 10.0, 0.1, 0.2)
    meter.stepped(100)
    assert meter.take(111.0) == Interval(1, 100, 1.0, 0.0, 0.0)


def test_rate_and_what_remains() -> None:
    interval = Interval(4, 1000, 2.0, 0.0, 0.0)
    assert (interval.rate, interval.remaining(10), interval.remaining(0)) == (500.0, 5.0, 0.0)


def test_nothing_done_in_no_time() -> None:
    interval = Meter(1.0).take(1.0)
    assert (interval.rate, interval.waiting, interval.remaining(5)) == (0.0, 0.0, None)


def test_what_is_put_aside_makes_no_step_slower() -> None:
    meter = Meter(0.0)
    meter.waited(1.0)
    meter.stepped(100)
    meter.put_aside(30.0)
    assert meter.take(34.0) == Interval(1, 100, 4.0, 0.25, 0.0)
    meter.stepped(100)
    assert meter.take(35.0).seconds == 1.0
