"""What is told of a simulation, and drawn."""

from __future__ import annotations

import pytest

from sidings.queue import picture, snapshot, stream, summary
from sidings.queue.preemption import Config
from sidings.queue.simulation import Report, Simulation
from sidings.queue.stream import Play
from tests.queue.test_stream import FLAVOR, LOCAL, QUEUE, jobs


@pytest.fixture
def played() -> tuple[Play, Report]:
    """Three jobs of 2 CPUs for 10 s each on 4 CPUs, and one that never fits."""
    first, never = jobs(count=3, pods=2), jobs(name="huge", pods=5)
    play = stream.read([FLAVOR, QUEUE, LOCAL, first, never])
    simulation = Simulation(
        play.objects, play.arrivals, Config(), flush_after=0.0, writes_per_second=None, measure=lambda: 0.0
    )
    return play, simulation.run()


def test_waits_and_use_by_queue(played: tuple[Play, Report]) -> None:
    play, report = played
    (told,) = summary.by_queue(report, play.arrivals, snapshot.build(play.objects))
    assert (told.jobs, told.admitted, told.finished, told.evictions) == (4, 3, 3, 0)
    assert told.longest_wait == pytest.approx(10)
    assert told.mean_wait == pytest.approx(10 / 3)
    assert told.use["cpu"] == pytest.approx(60 / (4 * report.makespan))


def test_those_that_never_ran(played: tuple[Play, Report]) -> None:
    play, report = played
    assert [arrival.group for arrival in summary.never(report, play.arrivals)] == ["huge"]


def test_the_picture_has_a_bar_for_each_run(played: tuple[Play, Report]) -> None:
    play, report = played
    drawn = picture.svg(summary.intervals(report, play.arrivals), report.makespan)
    assert drawn.count("<rect") == 3
    assert "<title>a/tune-1</title>" in drawn
