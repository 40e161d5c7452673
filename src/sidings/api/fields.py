"""Field errors as ``k8s.io/apimachinery/pkg/util/validation/field`` words them (v0.36).

A validation rule returns a list of :class:`FieldError`; the registry turns the list into one ``Invalid`` answer. The
text is ``<path>: <what>[: <value>][: <detail>]``, which is what users, tests and upstream documentation quote.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from sidings.api.status import Cause, Invalid

NO_PATH = "<nil>"
"""The path of a rule on the whole object, as Go prints one that is not there."""


class FieldError(NamedTuple):
    """One broken rule. ``reason`` is the machine-readable cause, ``text`` everything after the path."""

    field: str
    reason: str
    text: str

    def __str__(self) -> str:
        return f"{self.field}: {self.text}"

    def cause(self) -> Cause:
        return Cause(self.reason, self.text, self.field)


def _shown(value: Any) -> str:
    """A value as Go prints it in a field error: strings quoted, the rest as JSON."""
    if value is None:
        return "null"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def invalid(field: str, value: Any, detail: str) -> FieldError:
    return FieldError(field, "FieldValueInvalid", f"Invalid value: {_shown(value)}: {detail}")


def invalid_whole(field: str, detail: str) -> FieldError:
    """Where it is the whole that is wrong, upstream shows no value (``OmitValueType``)."""
    return FieldError(field, "FieldValueInvalid", f"Invalid value: {detail}")


def required(field: str, detail: str = "") -> FieldError:
    return FieldError(field, "FieldValueRequired", "Required value" + (f": {detail}" if detail else ""))


def forbidden(field: str, detail: str) -> FieldError:
    return FieldError(field, "FieldValueForbidden", f"Forbidden: {detail}")


def duplicate(field: str, value: Any) -> FieldError:
    return FieldError(field, "FieldValueDuplicate", f"Duplicate value: {_shown(value)}")


def not_found(field: str, value: Any) -> FieldError:
    return FieldError(field, "FieldValueNotFound", f"Not found: {_shown(value)}")


def not_supported(field: str, value: Any, supported: Sequence[str]) -> FieldError:
    quoted = ", ".join(_shown(s) for s in supported)
    return FieldError(
        field, "FieldValueNotSupported", f"Unsupported value: {_shown(value)}: supported values: {quoted}"
    )


def too_long(field: str, limit: int) -> FieldError:
    return FieldError(field, "FieldValueTooLong", f"Too long: may not be more than {limit} bytes")


def too_many(field: str, count: int, limit: int) -> FieldError:
    return FieldError(field, "FieldValueTooMany", f"Too many: {count}: must have at most {limit} items")


def type_invalid(field: str, value: Any, detail: str) -> FieldError:
    return FieldError(field, "FieldValueTypeInvalid", f"Invalid value: {_shown(value)}: {detail}")


def broken_rule(field: str, value: Any, message: str) -> FieldError:
    """A CEL rule of a CustomResource that ``value`` breaks: objects and lists are not shown, scalars are."""
    if isinstance(value, dict | list):
        return invalid_whole(field, message)
    return invalid(field, value, message)


def to_invalid(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> Invalid:
    """The 422 answer for ``errors`` (at least one): `Kind.group "name" is invalid: ...`, a list in brackets if many.

    Equal errors are all in the causes but once in the message, as Go's ``ErrorList.ToAggregate`` has it.
    """
    qualified = f"{kind}.{group}" if group else kind
    texts = list(dict.fromkeys(str(error) for error in errors))
    joined = texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
    return Invalid(
        f'{qualified} "{name}" is invalid: {joined}',
        name=name,
        group=group,
        kind=kind,
        causes=[error.cause() for error in errors],
    )
