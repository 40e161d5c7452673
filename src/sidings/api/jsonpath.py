"""JSONPath as Kubernetes' printer columns and ``kubectl -o jsonpath`` use it, without templates.

``.a.b``, ``['a/b']``, ``\\.`` in a name, ``[0]``, ``[-1:]``, ``[0:4:2]``, ``[*]``, ``.*``, ``..name``, ``[0,2]``,
``['a','b']`` and filters ``[?(@.type=="Ready")]`` with ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=`` or a bare path that
must exist. The whole may stand in braces. A missing field is no error: it finds nothing, as with kubectl's
``--allow-missing-template-keys``. The grammar is that of ``k8s.io/client-go/util/jsonpath``.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

Step = Callable[[Any], Iterator[Any]]


def find(obj: Any, path: str) -> list[Any]:
    """Everything in ``obj`` that ``path`` names. Raises ``ValueError`` for text that is not a path."""
    found = [obj]
    for step in _steps(path):
        found = [value for item in found for value in step(item)]
    return found


def first(obj: Any, path: str) -> Any:
    """The first thing that ``path`` names, None if there is none."""
    found = find(obj, path)
    return found[0] if found else None


@lru_cache(maxsize=512)
def _steps(path: str) -> tuple[Step, ...]:
    text = path.strip()
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1].strip()
    text = text.removeprefix("$").removeprefix("@")
    steps: list[Step] = []
    position = 0
    while position < len(text):
        if text.startswith("..", position):
            steps.append(_descend)
            position += 1 if text[position + 2 : position + 3] != "[" else 2
        elif text[position] == "[":
            end = _closing(text, position)
            steps.append(_bracket(text[position + 1 : end].strip()))
            position = end + 1
        elif text[position] == "." or position == 0:
            match = _NAME.match(text, position + (text[position] == "."))
            if match is None:
                raise ValueError(f"{path!r}: no name at {position}")
            name = re.sub(r"\\(.)", r"\1", match[0])
            steps.append(_every if name == "*" else _member(name))
            position = match.end()
        else:
            raise ValueError(f"{path!r}: unexpected {text[position]!r} at {position}")
    return tuple(steps)


_NAME = re.compile(r"(?:[^.\[\\\s]|\\.)+")
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_COMPARISON = re.compile(r"(.+?)\s*(==|!=|<=|>=|<|>)\s*(.+)", re.DOTALL)
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def _closing(text: str, start: int) -> int:
    """The position of the bracket that closes the one at ``start``; quotes hide brackets."""
    depth, position = 0, start
    while position < len(text):
        quoted = _QUOTED.match(text, position)
        if quoted:
            position = quoted.end()
            continue
        depth += {"[": 1, "]": -1}.get(text[position], 0)
        if depth == 0:
            return position
        position += 1
    raise ValueError(f"{text!r}: unterminated array")


def _bracket(inside: str) -> Step:
    if inside == "*":
        return _every
    if inside.startswith("?(") and inside.endswith(")"):
        return _filter(inside[2:-1].strip())
    parts = _split(inside)
    if len(parts) > 1:
        branches = [_bracket(part) for part in parts]
        return lambda value: (found for branch in branches for found in branch(value))
    quoted = _QUOTED.fullmatch(inside)
    if quoted:
        return _member(re.sub(r"\\(.)", r"\1", quoted[1] if quoted[1] is not None else quoted[2]))
    if re.fullmatch(r"-?\d+", inside):
        return _index(int(inside))
    bounds = re.fullmatch(r"(-?\d*):(-?\d*)(?::(-?\d*))?", inside)
    if bounds is None:
        raise ValueError(f"invalid array index {inside}")
    start, stop, stride = (int(text) if text else None for text in bounds.groups())
    return _slice(slice(start, stop, stride or None))


def _split(inside: str) -> list[str]:
    """A union's parts; commas in quotes are text."""
    return [match[0].strip() for match in re.finditer(r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,'\"])+", inside)]


def _member(name: str) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _index(index: int) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list) and -len(value) <= index < len(value):
            yield value[index]

    return step


def _slice(bounds: slice) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list):
            yield from value[bounds]

    return step


def _every(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _descend(value: Any) -> Iterator[Any]:
    yield value
    for below in _every(value):
        yield from _descend(below)


def _filter(condition: str) -> Step:
    compared = _COMPARISON.fullmatch(condition)
    if compared is None:
        return lambda value: (item for item in _every(value) if find(item, condition))
    left, sign, right = compared.groups()
    compare = _OPERATORS[sign]

    def step(value: Any) -> Iterator[Any]:
        for item in _every(value):
            one, other = _operand(item, left), _operand(item, right)
            try:
                if one and other and compare(one[0], other[0]):
                    yield item
            except TypeError:
                # Values of different types are not ordered; kubectl refuses them, a column shows nothing.
                continue

    return step


def _operand(item: Any, text: str) -> list[Any]:
    if text.startswith("@"):
        return find(item, text)
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return [re.sub(r"\\(.)", r"\1", quoted[1] if quoted[1] is not None else quoted[2])]
    try:
        return [json.loads(text)]
    except ValueError:
        return [text]
