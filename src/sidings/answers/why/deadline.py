"""A job that ran for longer than it may, submitted again with twice the time."""

from __future__ import annotations

from typing import Any

from sidings.answers import codes
from sidings.answers.explanations import finding
from sidings.answers.family import Family
from sidings.answers.finding import Finding, place_of
from sidings.answers.resubmission import Path, Revision
from sidings.answers.surroundings import Surroundings
from sidings.api import conditions
from sidings.api.objects import Object, key_of
from sidings.api.training_operator import framework

REASON = "DeadlineExceeded"
MORE_TIME = 2
_FIELD = "activeDeadlineSeconds"


def is_over(root: Object) -> bool:
    """Whether the job failed for its deadline."""
    failed = conditions.find((root.get("status") or {}).get("conditions"), "Failed") or {}
    return failed.get("status") == "True" and failed.get("reason") == REASON


def exceeded(family: Family, around: Surroundings) -> Finding:
    key = key_of(family.root)
    path = _path(family.root)
    remedy = around.kubectl("describe", family.kind.lower(), key.name, "-n", key.namespace)
    limit = ""
    if path is not None:
        seconds = _value(family.root, path)
        limit = f" of {seconds} s"
        revision = Revision(family.root)
        revision.set(path, seconds * MORE_TIME)
        remedy = revision.command(around)
    what = f"it reached its deadline{limit}"
    return finding(codes.DEADLINE_EXCEEDED, place_of(family.root), what, cause=_FIELD, remedy=remedy)


def _path(root: Object) -> Path | None:
    """Where the job itself says how long it may run."""
    paths: list[Path] = [("spec", "runPolicy", _FIELD)] if framework.of_object(root) else [("spec", _FIELD)]
    if root["kind"] == "JobSet":
        parts = range(len(root["spec"].get("replicatedJobs") or ()))
        paths = [("spec", "replicatedJobs", index, "template", "spec", _FIELD) for index in parts]
    return next((path for path in paths if _value(root, path)), None)


def _value(root: Object, path: Path) -> int:
    at: Any = root
    for step in path[:-1]:
        at = at[step] if isinstance(step, int) else (at.get(step) or {})
    return int(at.get(path[-1]) or 0)
