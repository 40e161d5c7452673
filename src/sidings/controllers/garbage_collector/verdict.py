"""What is to be done with one object, given what is known about its owners and dependents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum
from typing import NamedTuple

from sidings.controllers.garbage_collector.graph import FOREGROUND, ORPHAN, Node, Owner


class Fate(Enum):
    """Of an owner, as seen from a dependent."""

    SOLID = "lives"
    DANGLING = "is gone"
    WAITING = "is being deleted in the foreground"


class Verdict(NamedTuple):
    """``delete`` is a propagation policy or ``""``; ``drop`` are uids of owners to strike from the object."""

    delete: str = ""
    drop: tuple[str, ...] = ()


KEEP = Verdict()


def on_owners(node: Node, fates: Sequence[tuple[Owner, Fate]], dependents: Collection[Node]) -> Verdict:
    """Keep, delete or strip ``node`` by the fates of all its owners.

    One living owner keeps it (references to the dead ones are struck). Without any it goes: in the foreground if an
    owner waits for it and others wait behind it in turn, else by the finalizer it carries, else in the background.
    """
    if not fates or node.deleting:
        return KEEP
    solid = [owner for owner, fate in fates if fate is Fate.SOLID]
    gone = tuple(owner.uid for owner, fate in fates if fate is not Fate.SOLID)
    if solid:
        return Verdict(drop=gone) if gone else KEEP
    if any(fate is Fate.WAITING for _, fate in fates) and dependents:
        return Verdict(delete="Foreground")
    if ORPHAN in node.finalizers:
        return Verdict(delete="Orphan")
    if FOREGROUND in node.finalizers:
        return Verdict(delete="Foreground")
    return Verdict(delete="Background")


def may_finish_foreground(node: Node, dependents: Collection[Node]) -> bool:
    """Whether a foreground deletion has nothing left to wait for."""
    return node.waits_for_dependents() and not any(dependent.blocks(node.uid) for dependent in dependents)
