"""Which strings may be names, labels and paths, and what upstream says about those that may not.

Every check returns the list of complaints, empty for a good value, in the words of
``k8s.io/apimachinery/pkg/util/validation`` (v0.36): they end up in field errors that users and tests quote.
"""

from __future__ import annotations

import random
import re
from functools import lru_cache

LABEL_LENGTH = 63
SUBDOMAIN_LENGTH = 253
PORT_NAME_LENGTH = 15
SUFFIX_LENGTH = 5
SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""No vowels and nothing that is easily misread, so that no generated name spells a word."""

_DNS1123_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS1123_SUBDOMAIN = rf"{_DNS1123_LABEL}(\.{_DNS1123_LABEL})*"
_DNS1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = f"({_QUALIFIED_NAME})?"
_GOOD_LABEL_VALUE = re.compile(_LABEL_VALUE).fullmatch
_CONFIG_MAP_KEY = "[-._a-zA-Z0-9]+"
_ENV_VAR_NAME = "[ -<>-~]+"
_HTTP_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"

EMPTY = "must be non-empty"
ENV_VAR_NAME_RULE = "a valid environment variable name must consist only of printable ASCII characters other than '='"
_QUALIFIED_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_QUALIFIED_EXAMPLES = ["MyName", "my.name", "123-abc"]


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
    if len(value) <= LABEL_LENGTH and _GOOD_LABEL_VALUE(value):  # most are, and every write looks at many
        return []
    return [
        *_length(value, LABEL_LENGTH, "bytes"),
        *_pattern(
            value,
            _LABEL_VALUE,
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
            "start and end with an alphanumeric character",
            ["MyValue", "my_value", "12345"],
        ),
    ]


def qualified_name(value: str) -> list[str]:
    """``[domain/]name``: the key of a label or annotation, a resource, a taint, a finalizer."""
    return list(_qualified_name(value))


@lru_cache(maxsize=4096)
def _qualified_name(value: str) -> tuple[str, ...]:
    """Few keys are on many objects, so each is looked at once."""
    domain, slash, name = value.rpartition("/")
    if "/" in domain:
        (complaint,) = _pattern("", _QUALIFIED_NAME, f"a qualified name {_QUALIFIED_RULE}", _QUALIFIED_EXAMPLES)
        return (f"{complaint} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",)
    complaints: list[str] = []
    if slash:
        complaints += [f"prefix part {text}" for text in (dns1123_subdomain(domain) if domain else [EMPTY])]
    if not name:
        complaints.append(f"name part {EMPTY}")
    complaints += [f"name part {text}" for text in _length(name, LABEL_LENGTH, "bytes")]
    return (*complaints, *_pattern(name, _QUALIFIED_NAME, f"name part {_QUALIFIED_RULE}", _QUALIFIED_EXAMPLES))


def config_map_key(value: str) -> list[str]:
    """A key of a ConfigMap's or Secret's data, which becomes a file name."""
    complaints = [
        *_length(value, SUBDOMAIN_LENGTH),
        *_pattern(
            value,
            _CONFIG_MAP_KEY,
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            ["key.name", "KEY_NAME", "key-name"],
        ),
    ]
    if value in (".", ".."):
        complaints.append(f"must not be '{value}'")
    elif value.startswith(".."):
        complaints.append("must not start with '..'")
    return complaints


def env_var_name(value: str) -> list[str]:
    """The name of an environment variable, by the relaxed rule that is in force since 1.34."""
    # Upstream looks at characters here, so its message has no regular expression to show.
    return [] if re.fullmatch(_ENV_VAR_NAME, value) else [ENV_VAR_NAME_RULE]


def port_name(value: str) -> list[str]:
    """An IANA service name: the name of a container's or Service's port."""
    complaints = _length(value, PORT_NAME_LENGTH)
    if not re.fullmatch("[-a-z0-9]+", value):
        complaints.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", value):
        complaints.append("must contain at least one letter (a-z)")
    if "--" in value:
        complaints.append("must not contain consecutive hyphens")
    if value and "-" in (value[0], value[-1]):
        complaints.append("must not begin or end with a hyphen")
    return complaints


def http_path(value: str) -> list[str]:
    """What stands behind the domain of a domain-prefixed path."""
    return _pattern(value, _HTTP_PATH, "Invalid path", [])


def generate_name(base: str, rng: random.Random) -> str:
    """``base`` and five random characters; the base is cut so that the result is at most a label long."""
    suffix = "".join(rng.choices(SUFFIX_ALPHABET, k=SUFFIX_LENGTH))
    return base[: LABEL_LENGTH - SUFFIX_LENGTH] + suffix


def _length(value: str, most: int, unit: str = "characters") -> list[str]:
    return [f"must be no more than {most} {unit}"] if len(value.encode()) > most else []


def _pattern(value: str, pattern: str, rule: str, examples: list[str]) -> list[str]:
    if re.fullmatch(pattern, value):
        return []
    shown = "".join(f"'{example}', " + (" or " if i + 1 < len(examples) else "") for i, example in enumerate(examples))
    return [f"{rule} ({'e.g. ' if shown else ''}{shown}regex used for validation is '{pattern}')"]
