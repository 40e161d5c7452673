"""How functions of a library are made of plain ones: a conversion, the question whether it would fail, a method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sidings.api.cel.errors import EvaluationError


def conversion(kind: str, convert: Callable[[Any], Any], *already: type) -> Callable[[Any], Any]:
    """``kind(text)``; a value of a type in ``already`` stays what it is."""

    def converted(value: Any) -> Any:
        if isinstance(value, already):
            return value
        if not isinstance(value, str):
            raise EvaluationError("no such overload")
        try:
            return convert(value)
        except (ValueError, OverflowError, ArithmeticError) as error:
            raise EvaluationError(f"type conversion error from string to {kind}: {error}") from error

    return converted


def question(convert: Callable[[Any], Any]) -> Callable[[Any], bool]:
    """``isKind(text)``."""

    def fits(value: Any) -> bool:
        if not isinstance(value, str):
            raise EvaluationError("no such overload")
        try:
            convert(value)
        except (ValueError, OverflowError, ArithmeticError):
            return False
        return True

    return fits


def method_of(type_: Any, apply: Callable[..., Any]) -> Callable[..., Any]:
    """A method of values of ``type_``."""

    def checked(value: Any, *arguments: Any) -> Any:
        if not isinstance(value, type_):
            raise EvaluationError("no such overload")
        return apply(value, *arguments)

    return checked
