"""What the topology annotations of a pod template may say (pkg/controller/jobframework/tas_validation.go, Kueue v0.19).

A Workload would be built from them later; said here, a mistake is an answer to the one who makes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sidings.api import names
from sidings.api.fields import FieldError, forbidden, invalid, invalid_whole, required
from sidings.api.kueue import keys

AT_MOST_ONE = (keys.REQUIRED_TOPOLOGY, keys.PREFERRED_TOPOLOGY, keys.UNCONSTRAINED_TOPOLOGY)
SLICE_SIZE_MISSING = "slice size is required if slice topology is requested"
NOT_A_NUMBER = "must be a numeric value"
TOO_SMALL = "must be greater than or equal to 1"
NO_CONSTRAINTS = "must be a JSON list of objects with a topology and a size of at least 1"


def errors(annotations: Mapping[str, str], path: str) -> Iterator[FieldError]:
    """The broken rules of the template's ``annotations``; ``path`` is that of the annotations themselves."""
    if sum(key in annotations for key in AT_MOST_ONE) > 1:
        yield invalid_whole(path, f"must not contain more than one topology annotation: [{', '.join(AT_MOST_ONE)}]")
    for key in (keys.REQUIRED_TOPOLOGY, keys.PREFERRED_TOPOLOGY, keys.SLICE_REQUIRED_TOPOLOGY):
        for complaint in names.qualified_name(annotations[key]) if key in annotations else ():
            yield invalid(f"{path}[{key}]", annotations[key], complaint)
    together = (keys.REQUIRED_TOPOLOGY, keys.PREFERRED_TOPOLOGY)
    if keys.POD_SET_GROUP in annotations and not any(key in annotations for key in together):
        neither = "may not be set when neither '{}' nor '{}' is specified".format(*together)
        yield forbidden(f"{path}[{keys.POD_SET_GROUP}]", neither)
    yield from _slices(annotations, path)


def constraints(text: str) -> list[Any]:
    """``podsetSliceRequiredTopologyConstraints`` of the annotation ``text``, outermost first.

    Raises ``ValueError`` for anything but a list of levels with the pods that belong together in each.
    """
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(_is_constraint(entry) for entry in found):
        raise ValueError(NO_CONSTRAINTS)
    return found


def _is_constraint(entry: Any) -> bool:
    size = entry.get("size") if isinstance(entry, dict) else None
    return isinstance(size, int) and size > 0 and isinstance(entry.get("topology"), str)


def _slices(annotations: Mapping[str, str], path: str) -> Iterator[FieldError]:
    at, size = f"{path}[{keys.SLICE_SIZE}]", annotations.get(keys.SLICE_SIZE)
    asked = keys.SLICE_REQUIRED_TOPOLOGY in annotations
    if asked and size is None:
        yield required(at, SLICE_SIZE_MISSING)
    elif not asked and size is not None:
        yield forbidden(at, f"may not be set when '{keys.SLICE_REQUIRED_TOPOLOGY}' is not specified")
    elif size is not None and not size.removeprefix("-").isdecimal():
        yield invalid(at, size, NOT_A_NUMBER)
    elif size is not None and int(size) < 1:
        yield invalid(at, size, TOO_SMALL)
    if keys.SLICE_CONSTRAINTS in annotations:
        try:
            constraints(annotations[keys.SLICE_CONSTRAINTS])
        except ValueError:
            yield invalid(f"{path}[{keys.SLICE_CONSTRAINTS}]", annotations[keys.SLICE_CONSTRAINTS], NO_CONSTRAINTS)
