"""Keep, strip or delete, by the fates of all owners."""

import pytest

from sidings.api.resources import PODS
from sidings.controllers.garbage_collector.graph import Node, Owner
from sidings.controllers.garbage_collector.verdict import KEEP, Fate, Verdict, may_finish_foreground, on_owners


def owner(uid: str, blocks: bool = True) -> Owner:
    return Owner(uid, "batch/v1", "Job", uid, blocks)


def node(*owners: Owner, finalizers: tuple[str, ...] = (), deleting: bool = False, uid: str = "x") -> Node:
    return Node(uid, PODS, "ns", uid, owners, finalizers, deleting)


A, B = owner("a"), owner("b")


@pytest.mark.parametrize(
    ("finalizers", "fates", "has_dependents", "verdict"),
    [
        ((), [(A, Fate.SOLID)], False, KEEP),
        ((), [(A, Fate.DANGLING)], False, Verdict(delete="Background")),
        ((), [(A, Fate.SOLID), (B, Fate.DANGLING)], False, Verdict(drop=("b",))),
        ((), [(A, Fate.SOLID), (B, Fate.WAITING)], True, Verdict(drop=("b",))),
        ((), [(A, Fate.WAITING)], False, Verdict(delete="Background")),
        ((), [(A, Fate.WAITING)], True, Verdict(delete="Foreground")),
        (("orphan",), [(A, Fate.DANGLING)], True, Verdict(delete="Orphan")),
        (("foregroundDeletion",), [(A, Fate.DANGLING)], True, Verdict(delete="Foreground")),
    ],
)
def test_by_owners(
    finalizers: tuple[str, ...], fates: list[tuple[Owner, Fate]], has_dependents: bool, verdict: Verdict
) -> None:
    subject = node(*(each for each, _ in fates), finalizers=finalizers)
    assert on_owners(subject, fates, [node(uid="d")] if has_dependents else []) == verdict


def test_what_is_being_deleted_already_is_left_alone() -> None:
    assert on_owners(node(A, deleting=True), [(A, Fate.DANGLING)], []) == KEEP


def test_foreground_waits_only_for_dependents_that_block() -> None:
    waiting = node(finalizers=("foregroundDeletion",), deleting=True, uid="job")
    assert not may_finish_foreground(waiting, [node(owner("job"))])
    assert may_finish_foreground(waiting, [node(owner("job", blocks=False))])
    assert may_finish_foreground(waiting, [])
