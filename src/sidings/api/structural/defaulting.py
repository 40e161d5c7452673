"""Defaults that a schema declares, for custom resources.

As ``k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting`` (v0.36): a missing field with a default gets it,
at every depth that exists; a null where null is not allowed counts as missing.
"""

from __future__ import annotations

from typing import Any

from sidings.api.kind import Schema
from sidings.api.objects import Object, copy_of
from sidings.api.structural.node import Node, node_of


def default(schema: Schema, obj: Object) -> None:
    """Fills in ``obj`` in place."""
    _value(node_of(schema), obj)


def _value(node: Node, value: Any) -> None:
    if isinstance(value, dict):
        for name, declared in node.defaults:
            if value.get(name) is None and (name not in value or not declared.nullable):
                value[name] = copy_of(declared.default)
        properties, additional = node.properties, node.additional
        nulls = []
        for name, item in value.items():
            child = properties.get(name, additional)
            if child is None:
                continue
            if item is None:
                if not child.nullable and name in properties:
                    nulls.append(name)
            elif isinstance(item, (dict, list)):
                _value(child, item)
        for name in nulls:
            del value[name]
    elif isinstance(value, list) and node.items is not None:
        for item in value:
            _value(node.items, item)
