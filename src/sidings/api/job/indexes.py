"""Sets of completion indexes as Jobs write them: ``"0,2-4,7"``.

``status.completedIndexes`` and ``failedIndexes`` (pkg/controller/job/indexed_job_utils.go, 1.36) join runs of three and
more with a dash; two neighbours stay a list (``"3,4"``). The rules of a ``successPolicy`` use the same notation, which
:func:`parse_strictly` checks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable


def parse(text: str | None, completions: int) -> frozenset[int]:
    """The indexes of a status field that are below ``completions``.

    An elastic Job that shrank may still list indexes that it no longer has; they do not count.
    """
    found: set[int] = set()
    for part in (text or "").split(","):
        if part:
            first, _, last = part.partition("-")
            found.update(range(int(first), min(int(last or first), completions - 1) + 1))
    return frozenset(found)


def to_text(indexes: Iterable[int]) -> str:
    """Sorted and joined: ``{0, 2, 3, 4}`` is ``"0,2-4"`` and ``{1, 2}`` is ``"1,2"``."""
    runs: list[list[int]] = []
    for index in sorted(indexes):
        if runs and runs[-1][1] == index - 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    parts = []
    for first, last in runs:
        if first == last:
            parts.append(str(first))
        else:
            parts.append(f"{first}{',' if last == first + 1 else '-'}{last}")
    return ",".join(parts)


def first_missing(taken: Collection[int], completions: int, count: int) -> list[int]:
    """The ``count`` lowest indexes below ``completions`` that are not ``taken``, ascending."""
    missing: list[int] = []
    for index in range(completions):
        if len(missing) == count:
            break
        if index not in taken:
            missing.append(index)
    return missing


def parse_strictly(text: str, completions: int) -> int:
    """How many indexes ``text`` holds, as a user or a Job controller writes it.

    Raises ``ValueError`` with upstream's words for anything but ascending, disjoint intervals below ``completions``
    (``validateIndexesFormat`` in pkg/apis/batch/validation, 1.36).
    """
    total = 0
    previous = -1
    for part in text.split(",") if text else ():
        bounds = part.split("-")
        if len(bounds) > 2:
            rule = "an index interval can have at most two parts separated by '-'"
            raise ValueError(f'the fragment "{part}" violates the requirement that {rule}')
        first = _bound(bounds[0])
        if first >= completions:
            raise ValueError(f'too large index: "{bounds[0]}"')
        last = first
        if len(bounds) == 2:
            last = _bound(bounds[1])
            if last >= completions:
                raise ValueError(f'too large index: "{bounds[1]}"')
            if last <= first:
                raise ValueError(f"non-increasing order, previous: {first}, current: {last}")
        if first <= previous:
            raise ValueError(f"non-increasing order, previous: {previous}, current: {first}")
        total += last - first + 1
        previous = last
    return total


def _bound(text: str) -> int:
    if not text.isascii() or not text.lstrip("-").isdigit():
        raise ValueError(f'cannot convert string to integer for index: "{text}"')
    return int(text)
