"""Sets of field paths, kept as FieldsV1, their JSON.

A path is a tuple of elements, an element the text that FieldsV1 writes for it: ``f:image`` (a field),
``k:{"name":"a"}`` (the list element with these keys), ``v:"x"`` (the list element that is this value), ``i:3`` (a
position). In FieldsV1 ``{"f:a": {".": {}, "f:b": {}}}`` holds the paths a and a.b, ``{"f:a": {"f:b": {}}}`` only a.b,
and ``{"f:a": {}}`` only a. Working on that form itself spares every write a translation of every manager's fields:
an operation costs what its smaller operand costs, and what it does not touch is shared with the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

Path = tuple[str, ...]
Tree = dict[str, Any]

_KIND_ORDER = "fkvi"
_SELF = "."


class FieldSet:
    """A set of paths. Operations return new sets; :meth:`insert` is only for whoever builds one."""

    __slots__ = ("_tree",)

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self._tree: Tree = {}
        for path in paths:
            self.insert(path)

    @classmethod
    def of(cls, fields_v1: Tree) -> FieldSet:
        """The set that FieldsV1 written by :meth:`to_fields_v1` describes; the tree is shared, not copied."""
        made = cls()
        made._tree = fields_v1
        return made

    def to_fields_v1(self) -> Tree:
        """FieldsV1; shared, so not to be changed."""
        return self._tree

    def insert(self, path: Path) -> None:
        """Add one path; the empty path, the object itself, is no field and is ignored."""
        node = self._tree
        last = len(path) - 1
        for depth, element in enumerate(path):
            child = node.get(element)
            if child is None:
                child = node[element] = {}
            elif not child and depth < last:
                child[_SELF] = {}
            if depth == last and child:
                child[_SELF] = {}
            node = child

    def graft(self, path: Path, tree: Tree) -> None:
        """Add ``path`` with all that is below it, of which nothing is here yet: ``tree`` is the FieldsV1 of that."""
        self.insert(path)
        node = self._tree
        for element in path[:-1]:
            node = node[element]
        node[path[-1]] = tree

    def __bool__(self) -> bool:
        return bool(self._tree)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldSet) and self._tree == other._tree

    __hash__ = None  # type: ignore[assignment]  # a set that may still be inserted into

    def __contains__(self, path: Path) -> bool:
        node: Tree | None = self._tree
        for element in path:
            node = node.get(element) if node else None
        return node is not None and bool(path) and _is_member(node)

    def __iter__(self) -> Iterator[Path]:
        """Paths in upstream's order: at every level first the members, then what is below."""
        return _paths(self._tree)

    def __repr__(self) -> str:
        return f"FieldSet({[text_of(path) for path in self]})"

    def __or__(self, other: FieldSet) -> FieldSet:
        return FieldSet.of(_union(self._tree, other._tree))

    def __and__(self, other: FieldSet) -> FieldSet:
        return FieldSet.of(_intersection(self._tree, other._tree))

    def __sub__(self, other: FieldSet) -> FieldSet:
        return FieldSet.of(_difference(self._tree, other._tree))

    def without(self, roots: FieldSet) -> FieldSet:
        """The paths that neither are in ``roots`` nor lie below one of them."""
        return FieldSet.of(_pruned(self._tree, roots._tree))

    def has(self, element: str) -> bool:
        """Whether the path of this one element is in the set."""
        node = self._tree.get(element)
        return node is not None and _is_member(node)

    def below(self, element: str) -> FieldSet:
        """The paths that continue after ``element``, without it."""
        node = self._tree.get(element) or {}
        return FieldSet.of({inner: child for inner, child in node.items() if inner != _SELF})


def from_fields_v1(fields: Mapping[str, Any]) -> FieldSet:
    """The set that FieldsV1 from a client describes. Raises ``ValueError`` for anything that is not FieldsV1."""
    return FieldSet.of(_read(fields))


def with_itself(parts: Tree) -> Tree:
    """The FieldsV1 below a member of a set that has ``parts`` besides."""
    return {_SELF: {}, **parts} if parts else parts


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
            return "[" + ",".join(f"{name}={_compact(item)}" for name, item in msgspec.json.decode(rest).items()) + "]"
        case "v":
            return f"[={rest}]"
    return f"[{rest}]"


def _is_member(node: Tree) -> bool:
    return not node or _SELF in node


def _node(children: Tree, *, member: bool) -> Tree:
    """A node with these children; ``children`` may hold the mark of a member, which is then set right."""
    if _SELF in children:
        children = {element: child for element, child in children.items() if element != _SELF}
    return {_SELF: {}, **children} if member and children else children


def _paths(tree: Tree) -> Iterator[Path]:
    elements = sorted((element for element in tree if element != _SELF), key=_order)
    for element in elements:
        if _is_member(tree[element]):
            yield (element,)
    for element in elements:
        for path in _paths(tree[element]):
            yield (element, *path)


def _union(one: Tree, other: Tree) -> Tree:
    result = one
    for element, child in other.items():
        if element == _SELF:
            continue
        mine = one.get(element)
        joined = child if mine is None else _union_of_nodes(mine, child)
        if joined is not mine:
            if result is one:
                result = dict(one)
            result[element] = joined
    return result


def _union_of_nodes(one: Tree, other: Tree) -> Tree:
    children = _union(one, other)
    member = _is_member(one) or _is_member(other)
    return one if children is one and member is _is_member(one) else _node(children, member=member)


def _difference(one: Tree, other: Tree) -> Tree:
    result = one
    for element in one.keys() & other.keys():
        if element == _SELF:
            continue
        mine, theirs = one[element], other[element]
        children = _difference(mine, theirs)
        member = _is_member(mine) and not _is_member(theirs)
        if children is mine and member is _is_member(mine):
            continue
        if result is one:
            result = dict(one)
        left = _node(children, member=member)
        if left or member:
            result[element] = left
        else:
            del result[element]
    return result


def _intersection(one: Tree, other: Tree) -> Tree:
    result: Tree = {}
    for element in one.keys() & other.keys():
        if element == _SELF:
            continue
        mine, theirs = one[element], other[element]
        children = _intersection(mine, theirs)
        member = _is_member(mine) and _is_member(theirs)
        if children or member:
            result[element] = _node(children, member=member)
    return result


def _pruned(tree: Tree, roots: Tree) -> Tree:
    result = tree
    for element in tree.keys() & roots.keys():
        if element == _SELF:
            continue
        mine, root = tree[element], roots[element]
        left = None if _is_member(root) else _pruned(mine, root)
        if left is mine:
            continue
        if result is tree:
            result = dict(tree)
        # A node that has lost all its children is left only if it was a member itself.
        if left is None or (not left and not _is_member(mine)):
            del result[element]
        else:
            result[element] = _node(left, member=_is_member(mine))
    return result


def _read(fields: Mapping[str, Any]) -> Tree:
    tree: Tree = {}
    for element, below in fields.items():
        if not isinstance(below, Mapping):
            raise ValueError(f"{element!r} does not hold a map")
        if element == _SELF:
            continue
        children = _read(below)
        tree[_canonical(element)] = _node(children, member=not children or _SELF in below)
    return tree


def _order(element: str) -> tuple[int, str]:
    return _KIND_ORDER.index(element[0]), element


def _canonical(element: str) -> str:
    kind, separator, rest = element.partition(":")
    if not separator or kind not in ("f", "k", "v", "i"):
        raise ValueError(f"{element!r} is no path element")
    match kind:
        case "k":
            return key(msgspec.json.decode(rest))
        case "v":
            return value(msgspec.json.decode(rest))
    return element


def _compact(scalar: Any) -> str:
    return msgspec.json.encode(scalar).decode()
