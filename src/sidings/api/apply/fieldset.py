"""Sets of field paths, and FieldsV1, their JSON.

A path is a tuple of elements, an element the text that FieldsV1 writes for it: ``f:image`` (a field),
``k:{"name":"a"}`` (the list element with these keys), ``v:"x"`` (the list element that is this value), ``i:3`` (a
position). In FieldsV1 ``{"f:a": {".": {}, "f:b": {}}}`` holds the paths a and a.b, ``{"f:a": {"f:b": {}}}`` only a.b.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Path = tuple[str, ...]

_KIND_ORDER = "fkvi"


class FieldSet:
    """A set of paths as a tree. Operations return new sets; :meth:`insert` is for whoever builds one."""

    __slots__ = ("children", "members")

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self.members: set[str] = set()
        self.children: dict[str, FieldSet] = {}
        for path in paths:
            self.insert(path)

    def insert(self, path: Path) -> None:
        """Add one path; the empty path, the object itself, is no field and is ignored."""
        if not path:
            return
        node = self
        for element in path[:-1]:
            node = node.children.setdefault(element, FieldSet())
        node.members.add(path[-1])

    def __bool__(self) -> bool:
        return bool(self.members) or bool(self.children)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldSet) and self.members == other.members and self.children == other.children

    __hash__ = None  # type: ignore[assignment]

    def __contains__(self, path: Path) -> bool:
        node: FieldSet | None = self
        for element in path[:-1]:
            node = node.children.get(element) if node else None
        return node is not None and bool(path) and path[-1] in node.members

    def __iter__(self) -> Iterator[Path]:
        """Paths in upstream's order: at every level first the members, then what is below."""
        for element in sorted(self.members, key=_order):
            yield (element,)
        for element in sorted(self.children, key=_order):
            for path in self.children[element]:
                yield (element, *path)

    def __repr__(self) -> str:
        return f"FieldSet({[text_of(path) for path in self]})"

    def __or__(self, other: FieldSet) -> FieldSet:
        return _made(
            self.members | other.members,
            {
                element: _both(self.children.get(element), other.children.get(element))
                for element in self.children.keys() | other.children.keys()
            },
        )

    def __and__(self, other: FieldSet) -> FieldSet:
        return _made(
            self.members & other.members,
            {
                element: self.children[element] & other.children[element]
                for element in self.children.keys() & other.children.keys()
            },
        )

    def __sub__(self, other: FieldSet) -> FieldSet:
        return _made(
            self.members - other.members,
            {
                element: child - other.children[element] if element in other.children else child
                for element, child in self.children.items()
            },
        )

    def without(self, roots: FieldSet) -> FieldSet:
        """The paths that neither are in ``roots`` nor lie below one of them."""
        return _made(
            self.members - roots.members,
            {
                element: child.without(roots.children[element]) if element in roots.children else child
                for element, child in self.children.items()
                if element not in roots.members
            },
        )

    def to_fields_v1(self) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for element in sorted(self.members | self.children.keys(), key=_order):
            child = self.children.get(element)
            below = child.to_fields_v1() if child else {}
            fields[element] = {".": {}, **below} if below and element in self.members else below
        return fields


def from_fields_v1(fields: Mapping[str, Any]) -> FieldSet:
    """The set that FieldsV1 describes. Raises ``ValueError`` for anything that is not FieldsV1."""
    result = FieldSet()
    for element, below in fields.items():
        if element == ".":
            continue
        if not isinstance(below, Mapping):
            raise ValueError(f"{element!r} does not hold a map")
        canonical = _canonical(element)
        if not below or "." in below:
            result.members.add(canonical)
        child = from_fields_v1(below)
        if child:
            result.children[canonical] = child
    return result


def field(name: str) -> str:
    return f"f:{name}"


def key(fields: Mapping[str, Any]) -> str:
    """The element of a keyed list."""
    return f"k:{_compact(dict(sorted(fields.items())))}"


def value(scalar: Any) -> str:
    """The element of a list that is a set."""
    return f"v:{_compact(scalar)}"


def text_of(path: Path) -> str:
    """``.spec.containers[name="c"].image``, as conflicts and refusals quote it."""
    return "".join(map(element_text, path))


def element_text(element: str) -> str:
    kind, _, rest = element.partition(":")
    match kind:
        case "f":
            return f".{rest}"
        case "k":
            return "[" + ",".join(f"{name}={_compact(item)}" for name, item in json.loads(rest).items()) + "]"
        case "v":
            return f"[={rest}]"
    return f"[{rest}]"


def _both(left: FieldSet | None, right: FieldSet | None) -> FieldSet:
    if left is None or right is None:
        return left or right or FieldSet()
    return left | right


def _made(members: set[str], children: Mapping[str, FieldSet]) -> FieldSet:
    result = FieldSet()
    result.members = members
    result.children = {element: child for element, child in children.items() if child}
    return result


def _order(element: str) -> tuple[int, str]:
    return _KIND_ORDER.index(element[0]), element


def _canonical(element: str) -> str:
    kind, separator, rest = element.partition(":")
    if not separator or kind not in ("f", "k", "v", "i"):
        raise ValueError(f"{element!r} is no path element")
    match kind:
        case "k":
            return key(json.loads(rest))
        case "v":
            return value(json.loads(rest))
    return element


def _compact(scalar: Any) -> str:
    return json.dumps(scalar, ensure_ascii=False, separators=(",", ":"))
