"""A GPU without memory: the job anew, with an allocator that does not leave holes, or with smaller batches.

What torch says tells the two apart (2.1 to 2.13): where it holds back as much as it was asked for, in pieces, the
memory is there and in the wrong places.
"""

from __future__ import annotations

import re

from sidings.answers.resubmission import Path, Revision
from sidings.api.objects import Object

_SIZE = r"(?P<{}>[\d.]+) (?P<{}_unit>[KMGT]iB|bytes)"
_TRIED = re.compile(r"Tried to allocate " + _SIZE.format("size", "size"))
_HELD_BACK = re.compile(_SIZE.format("size", "size") + r" is reserved by PyTorch but unallocated")
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_ALLOCATOR = re.compile(r"(PYTORCH_(?:CUDA_)?ALLOC_CONF)=")
WITHOUT_HOLES = "expandable_segments:True"
_BATCH = r"--?(?:[A-Za-z]+[-_])*batch[-_]?size"
_BATCH_WITH_NUMBER = re.compile(rf"((?:^|\s){_BATCH}[= ])(\d+)\b")
_BATCH_ALONE = re.compile(_BATCH)


def mend(revision: Revision, path: Path, container: Object, line: str) -> bool:
    """As ``remedies.Mend``."""
    named = _ALLOCATOR.search(line)
    allocator = named[1] if named else "PYTORCH_CUDA_ALLOC_CONF"
    if _is_in_pieces(line) and allocator not in [each["name"] for each in container.get("env") or ()]:
        revision.append((*path, "env"), {"name": allocator, "value": WITHOUT_HOLES})
        return True
    for field in ("command", "args"):
        words = list(container.get(field) or ())
        if (smaller := halved(words)) != words:
            revision.set_in_container(path, field, smaller)
            return True
    return False


def _is_in_pieces(line: str) -> bool:
    tried, held_back = _TRIED.search(line), _HELD_BACK.search(line)
    return tried is not None and held_back is not None and _bytes(held_back) >= _bytes(tried)


def _bytes(found: re.Match[str]) -> float:
    return float(found["size"]) * _UNITS[found["size_unit"]]


def halved(words: list[str]) -> list[str]:
    """``words`` of a command with half of each batch size; equal where none is named, or none can be halved."""
    made, after = [], False
    for word in words:
        if after and word.isdecimal():
            made.append(_half(word))
        else:
            made.append(_BATCH_WITH_NUMBER.sub(lambda found: found[1] + _half(found[2]), word))
        after = bool(_BATCH_ALONE.fullmatch(word))
    return made


def _half(number: str) -> str:
    return str(max(int(number) // 2, 1))
