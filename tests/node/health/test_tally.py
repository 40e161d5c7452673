from sidings.node.health.probe import Kind, Probe
from sidings.node.health.tally import Tally


def test_only_so_many_failures_in_a_row_change_the_verdict() -> None:
    tally = Tally(Probe(Kind.LIVENESS, {}, failures=3))
    assert [tally.record(well) for well in (False, False, True, False, False, False)] == [False] * 5 + [True]
    assert tally.verdict is False


def test_readiness_starts_as_not_ready_and_needs_its_successes() -> None:
    tally = Tally(Probe(Kind.READINESS, {}, successes=2, failures=1))
    assert [(tally.record(well), tally.verdict) for well in (True, True, True, False)] == [
        (False, False),
        (True, True),
        (False, True),
        (True, False),
    ]


def test_whether_it_has_started_is_unknown_at_first() -> None:
    tally = Tally(Probe(Kind.STARTUP, {}, failures=1))
    assert tally.verdict is None
    assert tally.record(False) and tally.verdict is False
