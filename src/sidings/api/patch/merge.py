"""JSON merge patch (RFC 7396): maps are merged, null deletes, everything else replaces."""

from __future__ import annotations

from typing import Any

from sidings.api import golang
from sidings.api.objects import Object, copy_of
from sidings.api.status import BadRequest


def apply(document: Object, patch: Any) -> Object:
    """``document`` with ``patch`` merged in. Raises ``BadRequest`` where the patch is not a map (null is empty)."""
    if patch is None:
        return document
    if not isinstance(patch, dict):
        raise BadRequest(
            f"error decoding patch: json: cannot unmarshal {golang.json_type(patch)} into Go value of type "
            "map[string]interface {}"
        )
    return _merged(document, patch)


def _merged(document: Any, patch: dict[str, Any]) -> Object:
    result = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            result[key] = _merged(result.get(key), value)
        else:
            result[key] = copy_of(value)
    return result
