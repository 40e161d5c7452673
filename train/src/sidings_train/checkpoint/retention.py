"""What may go: all but the newest few, and what was never finished.

The manifest of an attempt is deleted before its pieces: whoever looks in between sees an unfinished attempt, not a
torn one.

Only what is not beyond the step that was just written counts. A run that went back to an earlier step did so because
what lies beyond is torn, or is of a run that was given up: were it among the newest few, what was just written would
go, and with ``keep=1`` the only whole checkpoint.
"""

from __future__ import annotations

from sidings_train.checkpoint.layout import MANIFEST, Attempt, finished


def to_delete(found: dict[Attempt, set[str]], written: int, keep: int, keep_every: int | None = None) -> list[str]:
    """Names to delete, in order, once an attempt of the step ``written`` is complete.

    Stay: the newest ``keep`` steps up to it, and steps that are multiples of ``keep_every``, each with its newest
    attempt; and all of later steps, which another run may be writing.
    """
    whole = [attempt for attempt in finished(found) if attempt.step <= written]
    newest_of_step: dict[int, Attempt] = {}
    for attempt in whole:
        newest_of_step.setdefault(attempt.step, attempt)
    stay = {attempt for number, attempt in enumerate(newest_of_step.values()) if number < keep}
    if keep_every:
        stay |= {attempt for step, attempt in newest_of_step.items() if step % keep_every == 0}
    go = [attempt for attempt in found if attempt not in stay and attempt.step <= written]
    return [attempt.path(file) for attempt in sorted(go) for file in sorted(found[attempt], key=_manifest_first)]


def _manifest_first(file: str) -> tuple[bool, str]:
    return file != MANIFEST, file
