"""Values like ``acme.io/foo``: who manages a job, or a part of it (``IsDomainPrefixedPath`` of apimachinery v0.36)."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import fields, names
from sidings.api.fields import FieldError

LONGEST_MANAGER = 63
NOT_A_PATH = 'must be a domain-prefixed path (such as "acme.io/foo")'


def manager_errors(manager: str | None, path: str) -> Iterator[FieldError]:
    """The broken rules of the ``managedBy`` of a Job or a JobSet; None is the usual controller."""
    if manager is None:
        return
    yield from errors(manager, path)
    if len(manager) > LONGEST_MANAGER:
        yield fields.too_long(path, LONGEST_MANAGER)


def errors(value: str, path: str) -> Iterator[FieldError]:
    """The broken rules of ``value``; each shows the part that is wrong."""
    domain, _, rest = value.partition("/")
    if not value:
        yield fields.required(path)
    elif not domain or not rest:
        yield fields.invalid(path, value, NOT_A_PATH)
    else:
        for text in names.dns1123_subdomain(domain):
            yield fields.invalid(path, domain, text)
        for text in names.http_path(rest):
            yield fields.invalid(path, rest, text)
