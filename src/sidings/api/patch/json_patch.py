"""JSON patch (RFC 6902): a list of operations on JSON pointers, all or none.

The API server tells an operation that does not apply (a failed test, a missing path) only that it was refused: 422
without a word of why (recorded from 1.36). What is no list of operations is a 400.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sidings.api import golang
from sidings.api.objects import Object, copy_of
from sidings.api.status import BadRequest, Invalid

MAX_OPERATIONS = 10_000
"""``maxJSONPatchOperations`` of ``k8s.io/apiserver/pkg/endpoints/handlers/patch.go``."""

REFUSED = "the server rejected our request due to an error in our request"


def apply(document: Object, patch: Any) -> Object:
    """``document`` after all operations of ``patch``.

    Raises ``Invalid`` where one of them does not apply and ``BadRequest`` where ``patch`` is not a list of operations.
    """
    if patch is None:
        return document
    if not isinstance(patch, list):
        raise BadRequest(
            f"error decoding patch: json: cannot unmarshal {golang.json_type(patch)} into Go value of type "
            "[]handlers.jsonPatchOp"
        )
    for operation in patch:
        if not isinstance(operation, dict):
            raise BadRequest(
                f"error decoding patch: json: cannot unmarshal {golang.json_type(operation)} into Go value of type "
                "handlers.jsonPatchOp"
            )
    if len(patch) > MAX_OPERATIONS:
        raise BadRequest(f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(patch)}")
    result: Any = copy_of(document)
    try:
        for operation in patch:
            result = _OPERATIONS[operation["op"]](result, operation)
    except (LookupError, ValueError, TypeError) as error:
        raise Invalid(REFUSED) from error
    if not isinstance(result, dict):
        raise Invalid(REFUSED)
    return result


def _add(document: Any, operation: Object) -> Any:
    return _put(document, _steps(operation["path"]), copy_of(operation["value"]))


def _remove(document: Any, operation: Object) -> Any:
    return _take(document, _steps(operation["path"]))


def _replace(document: Any, operation: Object) -> Any:
    steps = _steps(operation["path"])
    value = copy_of(operation["value"])
    if not steps:
        return value
    _look(document, steps)
    holder = _look(document, steps[:-1])
    holder[_index(holder, steps[-1]) if isinstance(holder, list) else steps[-1]] = value
    return document


def _move(document: Any, operation: Object) -> Any:
    source, target = _steps(operation["from"]), _steps(operation["path"])
    value = _look(document, source)
    return _put(_take(document, source), target, value)


def _copy(document: Any, operation: Object) -> Any:
    return _put(document, _steps(operation["path"]), copy_of(_look(document, _steps(operation["from"]))))


def _test(document: Any, operation: Object) -> Any:
    """A missing path equals null, as in the library that the API server uses."""
    wanted = operation.get("value")
    try:
        found = _look(document, _steps(operation["path"]))
    except LookupError:
        found = None
    if not same_json(found, wanted):
        raise ValueError(f"testing value {operation['path']} failed")
    return document


_OPERATIONS: dict[str, Callable[[Any, Object], Any]] = {
    "add": _add, "remove": _remove, "replace": _replace, "move": _move, "copy": _copy, "test": _test,
}  # fmt: skip


def same_json(left: Any, right: Any) -> bool:
    """Equality of JSON values: unlike Python's, true is not 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_json(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_json, left, right))
    return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)


def _steps(pointer: str) -> list[str]:
    if not pointer:
        return []
    if not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is not a JSON pointer")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]


def _index(holder: list[Any], step: str, *, end: int = -1) -> int:
    """The position that ``step`` names, up to ``end`` inclusive (the last element by default)."""
    if not step.isascii() or not step.isdigit() or (step[0] == "0" and step != "0"):
        raise ValueError(f"{step!r} is not an index")
    index = int(step)
    if index > (end if end >= 0 else len(holder) - 1):
        raise IndexError(step)
    return index


def _look(document: Any, steps: list[str]) -> Any:
    for step in steps:
        document = document[_index(document, step) if isinstance(document, list) else step]
    return document


def _put(document: Any, steps: list[str], value: Any) -> Any:
    if not steps:
        return value
    holder, last = _look(document, steps[:-1]), steps[-1]
    if isinstance(holder, list):
        holder.insert(len(holder) if last == "-" else _index(holder, last, end=len(holder)), value)
    else:
        holder[last] = value
    return document


def _take(document: Any, steps: list[str]) -> Any:
    if not steps:
        raise ValueError("the whole document cannot be removed")
    holder, last = _look(document, steps[:-1]), steps[-1]
    del holder[_index(holder, last) if isinstance(holder, list) else last]
    return document
