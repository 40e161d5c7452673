"""Which strings may be names, labels and paths, and what upstream says about those that may not.

Every check returns the list of complaints, empty for a good value, in the words of
``k8s.io/apimachinery/pkg/util/validation`` (v0.36): they end up in field errors that users and tests quote.
"""

from __future__ import annotations

import re

LABEL_LENGTH = 63
SUBDOMAIN_LENGTH = 253

_DNS1123_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS1123_SUBDOMAIN = rf"{_DNS1123_LABEL}(\.{_DNS1123_LABEL})*"
_DNS1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?"
_LABEL_VALUE = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?"
_HTTP_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"


def dns1123_label(value: str) -> list[str]:
    """A lowercase RFC 1123 label: most names, and every host name."""
    return [
        *_length(value, LABEL_LENGTH),
        *_pattern(
            value,
            _DNS1123_LABEL,
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
            "end with an alphanumeric character",
            ["my-name", "123-abc"],
        ),
    ]


def dns1123_subdomain(value: str) -> list[str]:
    """Labels joined by dots: the names of most objects."""
    return [
        *_length(value, SUBDOMAIN_LENGTH, "characters"),
        *_pattern(
            value,
            _DNS1123_SUBDOMAIN,
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
            "start and end with an alphanumeric character",
            ["example.com"],
        ),
    ]


def dns1035_label(value: str) -> list[str]:
    """A label that starts with a letter: the names of Services."""
    return [
        *_length(value, LABEL_LENGTH),
        *_pattern(
            value,
            _DNS1035_LABEL,
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
            "character, and end with an alphanumeric character",
            ["my-name", "abc-123"],
        ),
    ]


def label_value(value: str) -> list[str]:
    """The value of a label; may be empty."""
    return [
        *_length(value, LABEL_LENGTH),
        *_pattern(
            value,
            _LABEL_VALUE,
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
            "start and end with an alphanumeric character",
            ["MyValue", "my_value", "12345"],
        ),
    ]


def is_domain_prefixed_path(value: str) -> bool:
    """``acme.io/foo``: what ``managedBy`` may be."""
    domain, slash, path = value.partition("/")
    return bool(
        slash
        and domain
        and path
        and re.fullmatch(_DNS1123_SUBDOMAIN, domain)
        and len(domain) <= SUBDOMAIN_LENGTH
        and re.fullmatch(_HTTP_PATH, path)
    )


def _length(value: str, most: int, unit: str = "bytes") -> list[str]:
    # Upstream says "characters" of subdomains and "bytes" of labels (recorded on v1.36); it counts bytes.
    return [f"must be no more than {most} {unit}"] if len(value.encode()) > most else []


def _pattern(value: str, pattern: str, rule: str, examples: list[str]) -> list[str]:
    if re.fullmatch(pattern, value):
        return []
    shown = ",  or ".join(f"'{example}'" for example in examples)
    return [f"{rule} (e.g. {shown}, regex used for validation is '{pattern}')"]
