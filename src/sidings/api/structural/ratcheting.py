"""An update is not refused for what it does not touch (``CRDValidationRatcheting``, stable since Kubernetes 1.33).

After a definition became stricter its objects can still be changed: errors of values that are the same as before are
left out, also where they lie within what has changed. Which old value belongs to a new one is known of fields, of the
values of maps, and of the items of lists that are maps (``x-kubernetes-list-type: map``). A rule that speaks of
``oldSelf`` is asked all the same (``cel.rules``).
"""

from __future__ import annotations

from typing import Any

MISSING: Any = object()
"""In the place of an old value that is not there, where null would be one."""


def is_unchanged(value: Any, old: Any) -> bool:
    """Whether ``value`` is what was there before. Unlike to Python, ``true`` is not ``1``."""
    if isinstance(value, dict):
        if not isinstance(old, dict) or value.keys() != old.keys():
            return False
        return all(is_unchanged(item, old[name]) for name, item in value.items())
    if isinstance(value, list):
        return (
            isinstance(old, list)
            and len(value) == len(old)
            and all(is_unchanged(item, before) for item, before in zip(value, old, strict=True))
        )
    return type(value) is type(old) and bool(value == old)


def partner(item: Any, old: Any, keys: tuple[str, ...]) -> Any:
    """The old item with the same ``keys`` as ``item``, of a list that is a map; ``MISSING`` where there is none."""
    if not keys or not isinstance(old, list) or not isinstance(item, dict):
        return MISSING
    wanted = [item.get(key) for key in keys]
    same = (each for each in old if isinstance(each, dict) and is_unchanged([each.get(key) for key in keys], wanted))
    return next(same, MISSING)
