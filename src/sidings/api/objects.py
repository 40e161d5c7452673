"""The shape of an object, and the few accessors that every room needs.

An object is a JSON dict. Reading never changes it; a writer starts from :func:`copy_of`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

Object = dict[str, Any]
"""A decoded Kubernetes object: ``apiVersion``, ``kind``, ``metadata`` and whatever its kind has."""


class Key(NamedTuple):
    """Where an object of one resource lives; ``namespace`` is ``""`` for cluster-scoped kinds."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


def copy_of(value: Any) -> Any:
    """A deep copy of JSON data; about 10 times faster than ``copy.deepcopy`` because only dict and list nest."""
    if isinstance(value, dict):
        return {k: copy_of(v) for k, v in value.items()}
    if isinstance(value, list):
        return [copy_of(v) for v in value]
    return value


def key_of(obj: Mapping[str, Any]) -> Key:
    metadata = obj["metadata"]
    return Key(metadata.get("namespace") or "", metadata["name"])


def name_of(obj: Mapping[str, Any]) -> str:
    return str(obj["metadata"]["name"])


def namespace_of(obj: Mapping[str, Any]) -> str:
    return str(obj["metadata"].get("namespace") or "")


def uid_of(obj: Mapping[str, Any]) -> str:
    return str(obj["metadata"]["uid"])


def labels_of(obj: Mapping[str, Any]) -> dict[str, str]:
    return (obj.get("metadata") or {}).get("labels") or {}


def annotations_of(obj: Mapping[str, Any]) -> dict[str, str]:
    return (obj.get("metadata") or {}).get("annotations") or {}


def is_deleting(obj: Mapping[str, Any]) -> bool:
    return bool(obj["metadata"].get("deletionTimestamp"))


def controller_of(obj: Mapping[str, Any]) -> Object | None:
    """The ownerReference with ``controller: true``, of which an object has at most one."""
    for ref in obj["metadata"].get("ownerReferences") or ():
        if ref.get("controller"):
            return dict(ref)
    return None


def controller_ref(owner: Mapping[str, Any]) -> Object:
    """An ownerReference that makes ``owner`` the controller and lets foreground deletion wait for the dependent."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
