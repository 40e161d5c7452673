from hypothesis import given
from hypothesis import strategies as st

from sidings.node.telemetry.history import MAX_POINTS, History, Series


def test_mean_and_peak_are_exact_and_unknown_values_leave_no_trace() -> None:
    series = Series()
    for moment, value in enumerate([10.0, None, 30.0]):
        series.add(moment, value)
    assert (series.last, series.mean, series.peak) == (30, 20, 30)
    series.add(4, None)
    assert (series.last, series.mean) == (None, 20)
    assert series.points == [(0, 10), (2, 30)]


@given(st.integers(1, 5 * MAX_POINTS))
def test_the_course_stays_bounded_and_keeps_its_mean(count: int) -> None:
    series = Series()
    for moment in range(count):
        series.add(float(moment), float(moment % 7))
    assert len(series.points) < MAX_POINTS
    assert len(series.points) * series._width + len(series._pending) == count
    assert series.mean == sum(moment % 7 for moment in range(count)) / count
    assert [moment for moment, _ in series.points] == sorted(moment for moment, _ in series.points)


def test_a_summary_leaves_out_what_is_unknown() -> None:
    history = History()
    history.add(0, {"cpu": 1.0, "power": None})
    history.add(1, {"cpu": 2.0, "power": None})
    assert history.summary() == {"cpu": {"now": 2.0, "recent": 1.5, "mean": 1.5, "peak": 2.0}}
    history.rest()
    assert history.summary() == {"cpu": {"mean": 1.5, "peak": 2.0}}
