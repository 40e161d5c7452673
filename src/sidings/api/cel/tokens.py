"""An expression cut into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from sidings.api.cel.errors import CelSyntaxError

NUMBER, STRING, NAME, OPERATOR, END = "number", "string", "name", "operator", "end"

_PATTERN = re.compile(
    r"""\s*(?:
    (?P<float>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)
    |(?P<hex>0x[0-9a-fA-F]+)u?
    |(?P<int>\d+)u?
    |(?P<string>(?P<raw>[rR])?(?:'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"))
    |(?P<name>[A-Za-z_][A-Za-z_0-9]*)
    |(?P<operator>&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()\[\]{}])
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)", re.DOTALL)


class Token(NamedTuple):
    """``value`` is the number, the text of a string, the name or the operator; ``offset`` where it begins."""

    kind: str
    value: Any
    offset: int


def tokens(text: str) -> Iterator[Token]:
    """All tokens of ``text``, with END last. Raises ``CelSyntaxError``."""
    text = text.rstrip()
    position = 0
    while position < len(text):
        found = _PATTERN.match(text, position)
        if found is None:
            at = len(text) - len(text[position:].lstrip())
            raise CelSyntaxError(f"Syntax error: token recognition error at: '{text[at]}'", at)
        position = found.end()
        if found["float"]:
            yield Token(NUMBER, float(found["float"]), found.start("float"))
        elif found["hex"]:
            yield Token(NUMBER, int(found["hex"], 16), found.start("hex"))
        elif found["int"]:
            yield Token(NUMBER, int(found["int"]), found.start("int"))
        elif found["string"]:
            yield Token(STRING, _text(found["string"], raw=bool(found["raw"])), found.start("string"))
        elif found["name"]:
            yield Token(NAME, found["name"], found.start("name"))
        else:
            yield Token(OPERATOR, found["operator"], found.start("operator"))
    yield Token(END, "", len(text))


def _text(literal: str, *, raw: bool) -> str:
    body = literal[1:] if raw else literal
    quote = 3 if body[:3] in ("'''", '"""') else 1
    body = body[quote:-quote]
    return body if raw else _ESCAPE.sub(_unescaped, body)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xuU":
        return chr(int(code[1:], 16))
    if code.isdigit() and len(code) == 3:
        return chr(int(code, 8))
    return _ESCAPES.get(code, code)
