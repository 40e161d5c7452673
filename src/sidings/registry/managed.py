"""Managed fields around a write that is no apply: who owns what has changed.

The sets themselves are ``api.apply.managed``; here is when to ask for them, and the one exception: a write that
changes nothing else leaves the times of the entries alone, so that it stays no write at all.
"""

from __future__ import annotations

from sidings.api import timestamps
from sidings.api.apply import managed as managed_fields
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import WriteOptions
from sidings.registry.context import Context


def note_update(
    context: Context, kind: Kind, new: Object, old: Object | None, options: WriteOptions, subresource: str = ""
) -> None:
    """Set ``new``'s managed fields after an Update by ``options.field_manager``; ``old`` is None for a new object."""
    managed_fields.update(
        kind, new, old, manager=options.field_manager, subresource=subresource, time=timestamps.to_text(context.now())
    )


def keep_times_if_unchanged(new: Object, old: Object) -> None:
    """Where ``new`` differs from ``old`` in times of managed fields only, take ``old``'s."""
    mine, theirs = new["metadata"].get("managedFields"), old["metadata"].get("managedFields")
    if mine and theirs and mine != theirs and _timeless(mine) == _timeless(theirs):
        rest = {**new, "metadata": {**new["metadata"], "managedFields": theirs}}
        if rest == old:
            new["metadata"]["managedFields"] = theirs


def _timeless(entries: list[Object]) -> list[Object]:
    return [{field: value for field, value in entry.items() if field != "time"} for entry in entries]
