"""``'%s of %d'.format([a, b])`` and ``strings.quote``, as cel-go's strings library (version 2) writes values."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sidings.api.cel import operations
from sidings.api.cel.errors import EvaluationError

_CLAUSE = re.compile(r"%(?:\.(?P<precision>\d+))?(?P<verb>.?)", re.DOTALL)
_USUAL_PRECISION = 6
_QUOTED = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\",
    '"': '\\"',
}  # fmt: skip


def shown(value: Any) -> str:
    """A value as ``%s`` writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, timedelta):
        return f"{_number(value.total_seconds())}s"
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, dict):
        pairs = sorted((shown(key), shown(item)) for key, item in value.items())
        return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, operations.Type):
        return value.name
    return str(value)


def _number(value: float) -> str:
    """Without a fraction of zero, and never in scientific notation where it is short."""
    if isinstance(value, int):
        return str(value)
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return f"{value:.12g}" if value % 1 else f"{value:.0f}"


def _format(text: Any, values: Any) -> str:
    if not isinstance(text, str) or not isinstance(values, list):
        raise EvaluationError("no such overload")
    position = 0

    def written(clause: re.Match[str]) -> str:
        nonlocal position
        verb = clause["verb"]
        if verb == "%":
            return "%"
        if verb not in _VERBS:
            raise EvaluationError(f'could not parse formatting clause: unrecognized formatting clause "{verb}"')
        if position >= len(values):
            raise EvaluationError(f"index {position} out of range")
        value, position = values[position], position + 1
        precision = int(clause["precision"]) if clause["precision"] else _USUAL_PRECISION
        return _VERBS[verb](value, precision)

    return _CLAUSE.sub(written, text)


def _refused(verb: str, value: Any) -> EvaluationError:
    kinds = {"d": "integers", "b": "integers and bools", "o": "integers", "f": "doubles", "e": "doubles"}
    allowed = kinds.get(verb, "integers, byte buffers, and strings")
    clause, given = "decimal" if verb == "d" else verb, operations.type_of(value)
    return EvaluationError(f"error during formatting: {clause} clause can only be used on {allowed}, was given {given}")


def _decimal(value: Any, _: int) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _refused("d", value)
    return _number(value)


def _fixed(verb: str) -> Callable[[Any, int], str]:
    def written(value: Any, precision: int) -> str:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _refused(verb, value)
        return f"{float(value):.{precision}{verb}}"

    return written


def _based(verb: str) -> Callable[[Any, int], str]:
    def written(value: Any, _: int) -> str:
        if isinstance(value, bool) and verb == "b":
            return "1" if value else "0"
        if isinstance(value, str | bytes) and verb in "xX":
            raw = (value.encode() if isinstance(value, str) else value).hex()
            return raw.upper() if verb == "X" else raw
        if isinstance(value, bool) or not isinstance(value, int):
            raise _refused(verb, value)
        return f"{value:{verb}}"

    return written


_VERBS: dict[str, Callable[[Any, int], str]] = {
    "s": lambda value, _: shown(value),
    "d": _decimal,
    "f": _fixed("f"),
    "e": _fixed("e"),
    **{verb: _based(verb) for verb in "bxXo"},
}


def _quote(value: Any) -> str:
    if not isinstance(value, str):
        raise EvaluationError("no such overload")
    return '"' + "".join(_QUOTED.get(character, character) for character in value) + '"'


def _to_string(value: Any) -> str:
    """``string(x)``: as ``%s`` writes it, but for what has parts."""
    if value is None or isinstance(value, list | dict | operations.Type):
        raise EvaluationError("no such overload")
    if isinstance(value, float):
        return f"{value:g}"
    return shown(value)


FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("format", 2): _format,
    ("string", 1): _to_string,
    ("strings.quote", 1): _quote,
}
