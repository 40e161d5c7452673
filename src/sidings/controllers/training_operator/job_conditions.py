"""The list of conditions and how it changes (pkg/util/status.go, 1.9.4).

It is a list by time, not by type: an entry that changes moves to the end, because the State column shows the last one.
Running and Restarting replace each other; the end of a job turns Running to False where it stands; a failed job never
changes again.
"""

from __future__ import annotations

from datetime import datetime

from sidings.api import conditions, timestamps
from sidings.api.objects import Object
from sidings.api.training_operator import words

_EXCLUSIVE = {words.RUNNING: words.RESTARTING, words.RESTARTING: words.RUNNING}


def put(present: list[Object], type_: str, status: str, reason: str, message: str, now: datetime) -> list[Object]:
    """The list with this condition; the same list where nothing changes."""
    if _is_true(present, words.FAILED):
        return present
    old = conditions.find(present, type_)
    if old is not None and (old["status"], old.get("reason")) == (status, reason):
        return present
    moment = timestamps.to_text(now)
    same_status = old is not None and old["status"] == status
    condition = {
        "type": type_,
        "status": status,
        "reason": reason,
        "message": message,
        "lastUpdateTime": moment,
        "lastTransitionTime": old["lastTransitionTime"] if old is not None and same_status else moment,
    }
    kept = [one for one in present if one["type"] not in (type_, _EXCLUSIVE.get(type_))]
    if type_ in (words.SUCCEEDED, words.FAILED):
        kept = [{**one, "status": "False"} if one["type"] == words.RUNNING else one for one in kept]
    return [*kept, condition]


def is_finished(status: Object) -> bool:
    """Succeeded or failed; a suspended job is not."""
    present = status.get("conditions") or []
    return _is_true(present, words.SUCCEEDED) or _is_true(present, words.FAILED)


def holds(status: Object, type_: str) -> bool:
    return _is_true(status.get("conditions") or [], type_)


def _is_true(present: list[Object], type_: str) -> bool:
    found = conditions.find(present, type_)
    return found is not None and found["status"] == "True"
