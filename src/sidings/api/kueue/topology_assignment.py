"""``topologyAssignment``: domains and their pods, in the compact form of v1beta2.

Values of a level that are all equal are written once (``universal``); others as roots with their common prefix taken
off first and then their common suffix. One slice holds all domains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Placement:
    """``domains``: (values of the levels, pods), sorted by values."""

    levels: tuple[str, ...]
    domains: tuple[tuple[tuple[str, ...], int], ...]


def encode(placement: Placement) -> dict[str, Any]:
    """The object; nothing is lost."""
    columns = zip(*(values for values, _ in placement.domains), strict=True)
    return {
        "levels": list(placement.levels),
        "slices": [
            {
                "domainCount": len(placement.domains),
                "valuesPerLevel": [_encode_values(column) for column in columns],
                "podCounts": _encode_counts([count for _, count in placement.domains]),
            }
        ],
    }


def decode(assignment: Mapping[str, Any]) -> Placement:
    domains: list[tuple[tuple[str, ...], int]] = []
    for part in assignment["slices"]:
        size = part["domainCount"]
        columns = [_decode_values(column, size) for column in part["valuesPerLevel"]]
        counts = part["podCounts"]
        pods = [counts["universal"]] * size if "universal" in counts else counts["individual"]
        domains += zip(zip(*columns, strict=True), pods, strict=True)
    return Placement(tuple(assignment["levels"]), tuple(sorted(domains)))


def _encode_values(values: Sequence[str]) -> dict[str, Any]:
    if len(set(values)) == 1:
        return {"universal": values[0]}
    prefix = _common_start(values)
    rest = [value[len(prefix) :] for value in values]
    suffix = _common_start([value[::-1] for value in rest])[::-1]
    individual: dict[str, Any] = {}
    if prefix:
        individual["prefix"] = prefix
    if suffix:
        individual["suffix"] = suffix
    individual["roots"] = [value[: len(value) - len(suffix)] for value in rest]
    return {"individual": individual}


def _common_start(values: Sequence[str]) -> str:
    # Whatever the first and the last in order share, all between them share.
    first, last = min(values), max(values)
    for index, letter in enumerate(first):
        if letter != last[index]:
            return first[:index]
    return first


def _encode_counts(counts: list[int]) -> dict[str, Any]:
    return {"universal": counts[0]} if len(set(counts)) == 1 else {"individual": counts}


def _decode_values(column: Mapping[str, Any], size: int) -> list[str]:
    if "universal" in column:
        return [column["universal"]] * size
    individual = column["individual"]
    prefix, suffix = individual.get("prefix") or "", individual.get("suffix") or ""
    return [f"{prefix}{root}{suffix}" for root in individual["roots"]]
