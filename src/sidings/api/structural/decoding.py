"""From a JSON body to an object: unknown fields dropped and named, wrong types reported.

For a built-in kind the API server decodes into Go structs, so a wrong type ends the request with the message of
``encoding/json`` and nulls vanish. A custom resource stays JSON: unknown fields are pruned, wrong types are left for
``validation``. Either way the caller gets the paths of unknown and of repeated fields as ``sigs.k8s.io/json`` and
structural pruning spell them.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sidings.api import golang, quantity, spelling
from sidings.api.kind import Schema
from sidings.api.objects import Object, copy_of
from sidings.api.structural.node import Node, Path, node_of, text_of

_INTEGERS = {"int32": 2**31, "int64": 2**63}

_ZERO: dict[str, type] = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": int}

_RFC3339 = "2006-01-02T15:04:05Z07:00"
_RFC3339_PARTS = (
    ("2006", r"\d{4}"), ("-", "-"), ("01", r"\d\d"), ("-", "-"), ("02", r"\d\d"), ("T", "T"), ("15", r"\d\d"),
    (":", ":"), ("04", r"\d\d"), (":", ":"), ("05", r"\d\d(?:[.,]\d+)?"), ("Z07:00", r"Z|[+-]\d\d:\d\d"),
)  # fmt: skip


_RFC3339_WHOLE = re.compile("".join(f"(?:{pattern})" for _, pattern in _RFC3339_PARTS))


class Repeated(dict[str, Any]):
    """A JSON object in which names occurred more than once; the last one won. A parser hands it to ``decode``."""

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        self.repeated: list[str] = []
        super().__init__()
        for name, value in pairs:
            if name in self:
                self.repeated.append(name)
            self[name] = value


@dataclass
class Decoded:
    """The outcome. ``error`` is a Go decoding message; where it is set, ``object`` must not be used."""

    object: Object
    unknown: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    error: str = ""
    hints: Mapping[str, str] = field(default_factory=dict)
    """Unknown field -> which one was meant, in words, where one is near."""

    def strict_errors(self) -> list[str]:
        """As in ``strict decoding error: ...`` and in warnings: ``unknown field "spec.x"``, and which was meant."""
        return [f'duplicate field "{path}"' for path in self.repeated] + [
            f'unknown field "{path}"{self.hints.get(path, "")}' for path in self.unknown
        ]


def decode(schema: Schema, obj: Object, *, builtin: bool) -> Decoded:
    """``obj`` as a new object with only what ``schema`` knows; ``obj`` itself is not changed.

    With ``builtin`` wrong types end in ``error``, nulls are dropped and quantities are brought into canonical form, as
    a round trip through Go structs does. Kinds whose mutating webhook decodes the object are asked the same way.
    """
    root = node_of(schema)
    walk = _Struct(root) if builtin else _Json()
    decoded = walk.value(root, obj, None)
    if not builtin:
        walk.unknown.sort()
    obj = decoded if isinstance(decoded, dict) else {}
    return Decoded(obj, walk.unknown, walk.repeated, walk.error, walk.hints)


class _Json:
    """The walk over a custom resource."""

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self.repeated: list[str] = []
        self.error = ""
        self.hints: dict[str, str] = {}

    def value(self, node: Node, value: Any, path: Path) -> Any:
        if isinstance(value, dict):
            if type(value) is Repeated:
                self.repeated += [text_of((path, name)) for name in value.repeated]
            if node.type not in ("object", ""):
                return value
            return self.fields(node, value, path)
        if isinstance(value, list):
            items = node.items
            if items is None:
                return copy_of(value)
            return [self.element(items, item, (path, index)) for index, item in enumerate(value)]
        if type(value) is float and node.type in ("integer", "int-or-string") and value.is_integer():
            return int(value)  # Go writes 1.0 as 1, so it never is anything else there
        return value

    element = value
    """The same for an item of a list, where Go treats null otherwise."""

    def fields(self, node: Node, value: Object, path: Path) -> Object:
        properties, additional = node.properties, node.additional
        out: Object = {}
        for name, item in value.items():
            child = properties.get(name)
            if child is None:
                if additional is None:
                    if node.open:
                        out[name] = copy_of(item)
                    else:
                        self.not_known(text_of((path, name)), name, node)
                    continue
                child = additional
            if type(item) is child.exact:
                out[name] = item
                continue
            self.put(out, node, name, self.value(child, item, (path, name)))
        return out

    def not_known(self, where: str, name: str, node: Node) -> None:
        self.unknown.append(where)
        if meant := spelling.hint(name, node.properties):
            self.hints[where] = meant

    def put(self, out: Object, node: Node, name: str, value: Any) -> None:
        out[name] = value


class _Struct(_Json):
    """The walk into Go structs."""

    def __init__(self, root: Node) -> None:
        super().__init__()
        self.root = root

    def value(self, node: Node, value: Any, path: Path) -> Any:
        if value is None:
            return None
        match node.type:
            case "object":
                if isinstance(value, dict):
                    return super().value(node, value, path)
            case "array":
                if isinstance(value, list):
                    return super().value(node, value, path)
            case "string":
                if isinstance(value, str):
                    return self.string(node, value)
            case "boolean":
                if isinstance(value, bool):
                    return value
            case "integer":
                if isinstance(value, int) and not isinstance(value, bool):
                    bound = _INTEGERS.get(node.format, 2**63)
                    if -bound <= value < bound:
                        return value
            case "number":
                if isinstance(value, int | float) and not isinstance(value, bool):
                    return value
            case "int-or-string" if node.format == "quantity":
                return self.quantity(value)
            case "int-or-string":
                if isinstance(value, int | str) and not isinstance(value, bool):
                    return value
            case _:
                return super().value(node, value, path)
        self.mismatch(node, value, path)
        return value

    def element(self, node: Node, value: Any, path: Path) -> Any:
        # A null in a list is the zero value of its type.
        if value is None:
            return _ZERO.get(node.type, str)()
        return self.value(node, value, path)

    def put(self, out: Object, node: Node, name: str, value: Any) -> None:
        if value is not None and not _is_omitted(node, name, value):
            out[name] = value

    def mismatch(self, node: Node, value: Any, path: Path) -> None:
        what = golang.json_type(value)
        if what == "number" and node.type == "integer":
            what = f"number {value}"
        go_type = "int32" if node.type == "int-or-string" else node.go_type
        struct, field = _go_place(self.root, path)
        where = f"Go struct field {struct}.{field} of type" if field else "Go value of type"
        self.fail(f"json: cannot unmarshal {what} into {where} {go_type}")

    def fail(self, message: str) -> None:
        # encoding/json keeps the first error and goes on.
        self.error = self.error or message

    def string(self, node: Node, value: str) -> str:
        if node.format == "date-time":
            self.time(value)
        elif node.format == "byte":
            try:
                base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
            except ValueError:  # binascii.Error is one; other than ASCII is another
                self.fail(f"illegal base64 data at input byte {_bad_base64(value)}")
        return value

    def time(self, value: str) -> None:
        if _RFC3339_WHOLE.fullmatch(value):
            return
        rest = value
        for layout, pattern in _RFC3339_PARTS:
            found = re.match(pattern, rest)
            if found is None:
                self.fail(f'parsing time "{value}" as "{_RFC3339}": cannot parse "{rest}" as "{layout}"')
                return
            rest = rest[found.end() :]
        if rest:
            self.fail(f'parsing time "{value}": extra text: "{rest}"')

    def quantity(self, value: Any) -> Any:
        try:
            return quantity.canonical(value)
        except ValueError as problem:
            self.fail(str(problem))
            return value


def _is_omitted(node: Node, name: str, value: Any) -> bool:
    """``omitempty``, which every optional field has: empty lists and maps vanish, empty structs do not."""
    child = node.properties.get(name)
    if child is None or name in node.required:
        return False
    return value == [] or (value == {} and child.additional is not None)


def _go_place(root: Node, path: Path) -> tuple[str, str]:
    """What a Go error says for a path: the innermost struct, and the names of fields without indexes and map keys."""
    steps: list[str | int] = []
    while path is not None:
        path, step = path
        steps.insert(0, step)
    node: Node | None = root
    struct, names = "", []
    for step in steps:
        assert node is not None
        if isinstance(step, int):
            node = node.items
        elif step in node.properties:
            struct = node.struct
            names.append(step)
            node = node.properties[step]
        else:
            node = node.additional
    return struct, ".".join(names)


def _bad_base64(value: str) -> int:
    """The offset at which Go's decoder gives up: the first foreign character, or the cut-off group at the end."""
    foreign = re.search(r"[^A-Za-z0-9+/\r\n]", value.rstrip("="))
    return foreign.start() if foreign else len(value) // 4 * 4
