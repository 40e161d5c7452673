"""A schema compiled for walking: what every value asks for, without one look-up that a schema does not answer.

Nodes are made once per schema object and cached by identity. Definitions are shared between schemas (``schemas``), so
the pod template of a Job and of a JobSet is one set of nodes. The cache keeps the schemas it has seen; a custom
resource definition that is replaced at run time leaves a few kilobytes behind.
"""

from __future__ import annotations

from typing import Any

from sidings.api.kind import Schema

QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
"""The pattern that controller-gen writes for ``resource.Quantity``."""

_COMBINATIONS = ("allOf", "anyOf", "oneOf", "not")
_LIMITS = (
    "enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "minProperties",
    "maxProperties", "multipleOf", *_COMBINATIONS,
)  # fmt: skip

_CHECKED_FORMATS = ("byte", "date-time", "int32", "int64", "quantity")

_PYTHON: dict[str, type] = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}

Path = tuple["Path", str | int] | None
"""Where a walk is: the parent's path and a field name or index. Made on the way down, written out only for errors."""


def text_of(path: Path) -> str:
    """``spec.containers[0].image``."""
    parts: list[str] = []
    while path is not None:
        path, step = path
        parts.append(f"[{step}]" if isinstance(step, int) else f".{step}")
    return "".join(reversed(parts)).removeprefix(".")


class Node:
    """One place in a schema. ``type`` is a JSON schema type, ``int-or-string`` or ``""`` for anything."""

    __slots__ = (
        "additional",
        "combined",
        "default",
        "defaults",
        "exact",
        "format",
        "go_type",
        "has_default",
        "has_rules",
        "items",
        "limited",
        "list_keys",
        "list_type",
        "nullable",
        "open",
        "pattern",
        "properties",
        "python",
        "required",
        "schema",
        "struct",
        "type",
    )

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.format: str = schema.get("format", "")
        int_or_string = bool(schema.get("x-kubernetes-int-or-string"))
        self.type: str = "int-or-string" if int_or_string else schema.get("type", "")
        self.nullable = bool(schema.get("nullable"))
        self.open = bool(schema.get("x-kubernetes-preserve-unknown-fields")) or not self.type
        self.required: tuple[str, ...] = tuple(schema.get("required", ()))
        self.list_type: str = schema.get("x-kubernetes-list-type", "")
        self.list_keys: tuple[str, ...] = tuple(schema.get("x-kubernetes-list-map-keys", ()))
        self.pattern: str = QUANTITY if self.format == "quantity" else schema.get("pattern", "")
        self.combined = any(keyword in schema for keyword in _COMBINATIONS)
        self.limited = any(limit in schema for limit in _LIMITS) or self.format in _CHECKED_FORMATS
        # The Python type that fits; a bool is an int to isinstance, so it is compared exactly.
        self.python: type | None = _PYTHON.get(self.type)
        # The same for a leaf that needs no further look: most leaves of most objects.
        self.exact: type | None = self.python if self.python in (str, int, bool) and not self.limited else None
        self.has_default = "default" in schema
        self.default: Any = schema.get("default")
        self.has_rules = "x-kubernetes-validations" in schema
        self.go_type: str = schema.get("x-go-type", "")

    def _link(self) -> None:
        """Compiles what lies below; apart from ``__init__`` because a schema may reach itself."""
        schema = self.schema
        self.properties: dict[str, Node] = {name: node_of(sub) for name, sub in schema.get("properties", {}).items()}
        items = schema.get("items")
        self.items: Node | None = node_of(items) if isinstance(items, dict) else None
        additional = schema.get("additionalProperties")
        self.additional: Node | None = node_of(additional) if isinstance(additional, dict) else None
        if additional is True:
            self.open = True
        below = [*self.properties.values(), *(n for n in (self.items, self.additional) if n)]
        self.defaults: tuple[tuple[str, Node], ...] = tuple(
            (name, node) for name, node in self.properties.items() if node.has_default
        )
        self.has_rules = self.has_rules or any(node.has_rules for node in below)
        if not self.go_type:
            self.go_type = _go_type(self)
        # The struct that an error in a field of it names; a map has no fields of its own.
        self.struct: str = self.go_type.rpartition(".")[2] if self.properties else ""


def _go_type(node: Node) -> str:
    """The Go type that ``encoding/json`` names where a value does not fit."""
    match node.type:
        case "string":
            return "string"
        case "integer":
            return node.format or "int64"
        case "number":
            return "float64"
        case "boolean":
            return "bool"
        case "array" if node.items:
            return f"[]{node.items.go_type}"
        case "object" if node.additional:
            return f"map[string]{node.additional.go_type}"
    return "interface {}"


_nodes: dict[int, tuple[Schema, Node]] = {}


def node_of(schema: Schema) -> Node:
    """The node of a schema, compiled on first use."""
    found = _nodes.get(id(schema))
    if found is not None:
        return found[1]
    node = Node(schema)
    _nodes[id(schema)] = (schema, node)
    node._link()
    return node
