from sidings.api.objects import Key
from sidings.api.resources import PRIORITY_CLASSES, WORKLOAD_PRIORITY_CLASSES
from sidings.controllers.kueue.jobs.plan import COMPOSE_FAILED
from sidings.controllers.kueue.jobs.uncomposed import Uncomposed
from sidings.controllers.runtime.plan import EventNote, Plan

A, B = Key("team", "a"), Key("team", "b")
FAILED = Plan(events=[EventNote({}, "Warning", COMPOSE_FAILED, "not found")])


def test_a_class_concerns_whoever_has_no_workload_yet() -> None:
    uncomposed = Uncomposed()
    for key in (A, B):
        uncomposed.planned(key, FAILED)
    for resource in (PRIORITY_CLASSES, WORKLOAD_PRIORITY_CLASSES):
        assert set(uncomposed.watched()[resource]({})) == {A, B}
    uncomposed.planned(A, Plan())
    uncomposed.forget(B)
    assert list(uncomposed.watched()[PRIORITY_CLASSES]({})) == []
