"""``runtimePatches[].time``: when a manager last changed its patch (the defaulting webhook of Trainer 2.3)."""

from __future__ import annotations

from typing import Any

from sidings.api.objects import Object


def stamp(job: Object, old: Object | None, now: str) -> None:
    """Set the times in ``job`` in place; ``now`` is RFC 3339.

    A patch that is unchanged keeps its stored time whatever the client sends, a changed one gets ``now``, a new one
    too unless the client gave a time, and so does one that other admission has added since. ``job`` has not been
    validated yet, so other shapes are left alone.
    """
    before = {patch["manager"]: patch for patch in _patches(old or {})}
    for patch in _patches(job):
        was = before.get(patch["manager"])
        if was is None:
            patch["time"] = patch.get("time") or now
        else:
            patch["time"] = was.get("time", now) if _content(patch) == _content(was) else now


def _patches(job: Object) -> list[Object]:
    spec: Any = job.get("spec")
    patches: Any = spec.get("runtimePatches") if isinstance(spec, dict) else None
    if not isinstance(patches, list):
        return []
    return [patch for patch in patches if isinstance(patch, dict) and isinstance(patch.get("manager"), str)]


def _content(patch: Object) -> Object:
    return {key: value for key, value in patch.items() if key != "time"}
