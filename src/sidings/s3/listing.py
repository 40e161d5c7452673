"""A page of a bucket's listing, as ListObjects and ListObjectsV2 cut it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

MOST = 1000
"""Entries of one page, as S3 gives them."""


@dataclass
class Page:
    keys: list[str] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    last: str = ""
    """The key or common prefix after which the next page begins; "" for the last page."""


def page(keys: Iterable[str], prefix: str, delimiter: str, after: str, limit: int) -> Page:
    """``keys`` in order; what shares a beginning up to ``delimiter`` after ``prefix`` counts as one entry."""
    made, newest = Page(), ""
    for key in keys:
        if not key.startswith(prefix):
            continue
        head, found, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
        entry = prefix + head + found if found else key
        if entry <= after or (found and entry == newest) or (found and after.startswith(entry)):
            continue
        if len(made.keys) + len(made.prefixes) == limit:
            made.last = newest
            break
        (made.prefixes if found else made.keys).append(entry)
        newest = entry
    return made
