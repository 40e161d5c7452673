"""``format.dns1123Label().validate(self.name)``: Kubernetes' own rules for texts (``cel/library/format.go``, v1.36).

The answer is an optional list of complaints, none where the text is good.
"""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from sidings.api import names, timestamps
from sidings.api.cel import optionals
from sidings.api.cel.errors import EvaluationError


@dataclass(frozen=True)
class Format:
    name: str
    complaints: Callable[[str], list[str]]


def _prefix(check: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """The beginning of a generated name may end with a dash, after which something follows."""
    return lambda value: check(re.sub("-$", "a", value))


def _readable(read: Callable[[str], Any], complaint: str) -> Callable[[str], list[str]]:
    def check(value: str) -> list[str]:
        try:
            read(value)
        except ValueError:
            return [complaint]
        return []

    return check


def _uri(value: str) -> None:
    if not urlsplit(value).scheme and not value.startswith("/"):
        raise ValueError(value)


FORMATS = {
    form.name: form
    for form in (
        Format("dns1123Label", names.dns1123_label),
        Format("dns1123Subdomain", names.dns1123_subdomain),
        Format("dns1035Label", names.dns1035_label),
        Format("qualifiedName", names.qualified_name),
        Format("dns1123LabelPrefix", _prefix(names.dns1123_label)),
        Format("dns1123SubdomainPrefix", _prefix(names.dns1123_subdomain)),
        Format("dns1035LabelPrefix", _prefix(names.dns1035_label)),
        Format("labelValue", names.label_value),
        Format("uri", _readable(_uri, "invalid URI")),
        Format("uuid", _readable(uuid.UUID, "does not match the UUID format")),
        Format("byte", _readable(partial(base64.b64decode, validate=True), "invalid base64")),
        Format("date", _readable(date.fromisoformat, "invalid date")),
        Format("datetime", _readable(timestamps.from_text, "invalid datetime")),
    )
}


def _named(name: Any) -> optionals.Optional:
    return optionals.Optional(True, FORMATS[name]) if name in FORMATS else optionals.NONE


def _validate(form: Any, value: Any) -> optionals.Optional:
    if not isinstance(form, Format) or not isinstance(value, str):
        raise EvaluationError("no such overload")
    complaints = form.complaints(value)
    return optionals.Optional(True, complaints) if complaints else optionals.NONE


FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    **{(f"format.{name}", 0): partial(FORMATS.__getitem__, name) for name in FORMATS},
    ("format.named", 1): _named,
    ("validate", 2): _validate,
}
