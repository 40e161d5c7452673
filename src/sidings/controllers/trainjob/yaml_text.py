"""YAML as Go's ``sigs.k8s.io/yaml`` writes it, so that a frozen runtime reads the same on every cluster.

What differs from PyYAML's default: keys are in natural order (``8080`` before ``29500``, signs before letters), a
string that YAML 1.1 could take for something else is in double quotes, one of several lines is a block, and nothing is
an alias or folded.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

_PIECES = re.compile(r"\d+|\D")
_STRING = "tag:yaml.org,2002:str"
_SINGLE_LETTER_BOOLEANS = frozenset("yYnN")
"""YAML 1.1 booleans that PyYAML does not know."""


def dump(value: Any) -> str:
    """The text of ``value``, which is JSON data."""
    return yaml.dump(_sorted(value), Dumper=_Dumper, default_flow_style=False, sort_keys=False, width=float("inf"))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value, key=_natural)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value


def _natural(key: str) -> list[tuple[bool, int, str]]:
    """Compares as ``keyList.Less`` of go-yaml does: numbers by value, other signs before letters."""
    return [
        (piece.isalpha(), int(piece) if piece.isdecimal() else 0, "" if piece.isdecimal() else piece)
        for piece in _PIECES.findall(key)
    ]


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    read_as = dumper.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]  # PyYAML's
    quoted = read_as != _STRING or text in _SINGLE_LETTER_BOOLEANS
    style = '"' if quoted else "|" if "\n" in text else None
    return dumper.represent_scalar(_STRING, text, style=style)


_Dumper.add_representer(str, _string)
