"""What operators and functions do with values.

Values are JSON as Python has it; an integer is a CEL ``int``, a float a ``double``. CEL is typed, so ``1 == true`` is
false here and ``1 + 1.5`` is an error, unlike in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from sidings.api import go_regexp
from sidings.api.cel.errors import CostExceeded, EvaluationError
from sidings.api.cel.optionals import Optional, select

INT64 = 1 << 63
_ORDERED = ("string", "bytes", "bool", "duration", "google.protobuf.Timestamp")


class Type(NamedTuple):
    """What ``type(x)`` answers, and what ``int`` or ``string`` mean where they are not called."""

    name: str


_TYPE_NAMES: dict[type, str] = {
    int: "int",
    float: "double",
    str: "string",
    bytes: "bytes",
    list: "list",
    dict: "map",
    timedelta: "duration",
    datetime: "google.protobuf.Timestamp",
    Type: "type",
}
TYPES = {name: Type(name) for name in ("bool", "int", "double", "string", "bytes", "list", "map", "null_type", "type")}


def type_of(value: Any) -> str:
    """The CEL name of the type."""
    if value is None:
        return "null_type"
    if isinstance(value, bool):
        return "bool"
    return _TYPE_NAMES.get(type(value), type(value).__name__)


def truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise EvaluationError("no such overload")
    return value


def equal(left: Any, right: Any) -> bool:
    kinds = {type_of(left), type_of(right)}
    if len(kinds) > 1 and kinds != {"int", "double"}:
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return bool(left == right)


def compare(operator: str, left: Any, right: Any) -> bool:
    if operator == "==":
        return equal(left, right)
    if operator == "!=":
        return not equal(left, right)
    kinds = {type_of(left), type_of(right)}
    if not (kinds <= {"int", "double"} or (len(kinds) == 1 and kinds < set(_ORDERED))):
        raise EvaluationError("no such overload")
    match operator:
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
    return bool(left >= right)


def contains(container: Any, item: Any) -> bool:
    if isinstance(container, dict):
        return isinstance(item, str) and item in container
    if isinstance(container, list):
        return any(equal(item, each) for each in container)
    raise EvaluationError("no such overload")


def arithmetic(operator: str, left: Any, right: Any) -> Any:
    kind = type_of(left)
    if isinstance(left, datetime | timedelta):
        return _of_times(operator, left, right)
    if kind != type_of(right) or kind not in ("int", "double", "string", "bytes", "list"):
        raise EvaluationError("no such overload")
    if operator == "+":
        return _in_range(left + right)
    if kind not in ("int", "double"):
        raise EvaluationError("no such overload")
    if operator == "-":
        return _in_range(left - right)
    if operator == "*":
        return _in_range(left * right)
    if kind == "double" and operator == "/":
        return left / right if right else float("nan") if not left else float("inf") * (1 if left > 0 else -1)
    if kind == "double":
        raise EvaluationError("no such overload")
    if not right:
        raise EvaluationError("division by zero" if operator == "/" else "modulus by zero")
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return _in_range(quotient) if operator == "/" else left - quotient * right


def _of_times(operator: str, left: Any, right: Any) -> Any:
    try:
        if operator == "+":
            return left + right
        if operator == "-":
            return left - right
    except (TypeError, OverflowError) as error:
        raise EvaluationError("no such overload") from error
    raise EvaluationError("no such overload")


def negative(value: Any) -> Any:
    if type_of(value) not in ("int", "double"):
        raise EvaluationError("no such overload")
    return _in_range(-value)


def _in_range(value: Any) -> Any:
    if type_of(value) == "int" and not -INT64 <= value < INT64:
        raise EvaluationError("integer overflow")
    return value


def index(container: Any, key: Any) -> Any:
    if isinstance(container, Optional):
        return select(container, key)
    if isinstance(container, list) and type_of(key) == "int":
        if 0 <= key < len(container):
            return container[key]
        raise EvaluationError(f"index out of bounds: {key}")
    if isinstance(container, dict) and isinstance(key, str):
        return field(container, key)
    raise EvaluationError("no such overload")


def field(container: Any, name: str) -> Any:
    if isinstance(container, Optional):
        return select(container, name)
    if not isinstance(container, dict):
        raise EvaluationError("no such overload")
    if name not in container:
        raise EvaluationError(f"no such key: {name}")
    return container[name]


def found(expression: str, text: str) -> bool:
    """Whether ``text`` holds a match of ``expression``, in time bounded by the length of both."""
    try:
        return go_regexp.found(expression, text)
    except go_regexp.PatternError as error:
        raise _unanswered(expression, error) from error


def matches_of(expression: str, text: str, most: int | None = None) -> list[str]:
    """What ``expression`` matches in ``text``, from left to right, the first ``most`` of it."""
    try:
        return list(islice(go_regexp.expression(expression).all_in(text), most))
    except go_regexp.PatternError as error:
        raise _unanswered(expression, error) from error


def _unanswered(expression: str, error: go_regexp.PatternError) -> EvaluationError:
    if isinstance(error, go_regexp.TooMuchWork):
        return CostExceeded()
    return EvaluationError(f"invalid regular expression {expression!r}: {error}")


def _size(value: Any) -> int:
    if not isinstance(value, str | bytes | list | dict):
        raise EvaluationError("no such overload")
    return len(value)


def _of_strings(apply: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*arguments: Any) -> Any:
        if not all(isinstance(argument, str) for argument in arguments):
            raise EvaluationError("no such overload")
        return apply(*arguments)

    return checked


def _to_int(value: Any) -> int:
    try:
        if isinstance(value, datetime):
            return int(value.timestamp())
        if type_of(value) in ("int", "double", "string"):
            return int(_in_range(int(value)))
    except (ValueError, OverflowError) as error:
        raise EvaluationError(f"type conversion error from {type_of(value)} to int") from error
    raise EvaluationError("no such overload")


def _to_double(value: Any) -> float:
    try:
        if type_of(value) in ("int", "double", "string"):
            return float(value)
    except ValueError as error:
        raise EvaluationError("type conversion error from string to double") from error
    raise EvaluationError("no such overload")


def _to_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise EvaluationError("no such overload")
    if value not in _BOOLS:
        raise EvaluationError("type conversion error from string to bool")
    return _BOOLS[value]


_BOOLS = {
    **dict.fromkeys(("1", "t", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "false", "FALSE", "False"), False),
}


def _to_bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        raise EvaluationError("no such overload")
    return value.encode()


FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("size", 1): _size,
    ("matches", 2): _of_strings(lambda text, expression: found(expression, text)),
    ("startsWith", 2): _of_strings(str.startswith),
    ("endsWith", 2): _of_strings(str.endswith),
    ("contains", 2): _of_strings(lambda text, part: part in text),
    ("split", 2): _of_strings(lambda text, separator: text.split(separator) if separator else list(text)),
    ("lowerAscii", 1): _of_strings(str.lower),
    ("upperAscii", 1): _of_strings(str.upper),
    ("int", 1): _to_int,
    ("double", 1): _to_double,
    ("bool", 1): _to_bool,
    ("bytes", 1): _to_bytes,
    ("dyn", 1): lambda value: value,
    ("type", 1): lambda value: Type(type_of(value)),
}
"""By name and number of arguments; a method call counts what it is called on as the first."""
