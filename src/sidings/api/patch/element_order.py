"""Where the elements of a merged list go: the two-way merge that strategic merge patches define.

A merged list has elements that the patch speaks of and elements that only the live list has. Each group keeps its own
order (that of the patch or its ``$setElementOrder``, that of the live list); they are zipped together such that a
live-only element comes first only where the live list had both elements and had it in front. So additions end up
before live-only elements that follow the last known neighbour.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any


def ordered(
    merged: Sequence[Any], wanted: Sequence[Any], live: Sequence[Any], key: Callable[[Any], Hashable]
) -> list[Any]:
    """``merged`` in its final order.

    ``wanted`` are the elements of the patch in its order, ``live`` those of the list before; ``key`` identifies an
    element in any of the three.
    """
    wish = _places(wanted, key)
    before = _places(live, key)
    patched = sorted((item for item in merged if key(item) in wish), key=lambda item: wish[key(item)])
    rest = sorted(
        (item for item in merged if key(item) not in wish), key=lambda item: before.get(key(item), len(before))
    )
    result: list[Any] = []
    i = j = 0
    while i < len(rest) and j < len(patched):
        kept, changed = before.get(key(rest[i])), before.get(key(patched[j]))
        if kept is not None and changed is not None and kept < changed:
            result.append(rest[i])
            i += 1
        else:
            result.append(patched[j])
            j += 1
    return [*result, *rest[i:], *patched[j:]]


def _places(items: Sequence[Any], key: Callable[[Any], Hashable]) -> dict[Hashable, int]:
    places: dict[Hashable, int] = {}
    for place, item in enumerate(items):
        places.setdefault(key(item), place)
    return places
