import logging

import pytest

from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_QUEUES
from sidings.api.status import Conflict, Forbidden, Invalid
from sidings.clock import ManualClock
from sidings.controllers.kueue.refusals import FIRST_PAUSE, LONGEST_PAUSE, Refusals
from sidings.controllers.runtime.plan import Update


def step(name: str) -> Update:
    obj: Object = {"metadata": {"name": name}}
    return Update(CLUSTER_QUEUES, obj, "status")


def test_the_pause_grows_and_has_an_end() -> None:
    clock = ManualClock()
    refusals, pauses = Refusals(clock, "queues"), []
    for _ in range(12):
        refusals.refused(step("a"), Forbidden("no"))
        pause = refusals.next_in()
        assert pause is not None
        assert refusals.due([step("a"), step("b")]) == [step("b")]
        clock.advance(pause + 0.001)
        assert refusals.due([step("a")]) == [step("a")]
        pauses.append(pause)
    assert pauses[:3] == pytest.approx([FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE])
    assert pauses[-1] == pytest.approx(LONGEST_PAUSE)


def test_a_refusal_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    refusals = Refusals(ManualClock(), "kueue queues")
    with caplog.at_level(logging.WARNING):
        refusals.refused(step("a"), Conflict("somebody was faster"))
        assert not caplog.messages
        for error in (Forbidden("no"), Forbidden("no"), Conflict("somebody was faster"), Forbidden("no")):
            refusals.refused(step("a"), error)
        assert caplog.messages == ["kueue queues: clusterqueues.kueue.x-k8s.io/a/status is refused and tried again: no"]
        refusals.refused(step("a"), Invalid("never"))
        assert len(caplog.messages) == 2


def test_what_was_written_or_is_not_wanted_any_more_is_forgotten() -> None:
    refusals = Refusals(ManualClock(), "queues")
    refusals.refused(step("a"), Forbidden("no"))
    refusals.refused(step("b"), Forbidden("no"))
    refusals.written(step("a"))
    assert refusals.due([step("a")]) == [step("a")]
    assert refusals.next_in() is None
