"""``autoscaling/v1 Scale``: the number of replicas of a custom resource, wherever its schema keeps it. Pure.

Texts are those of ``k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go`` (v0.36).
"""

from __future__ import annotations

from typing import Any

from sidings.api.fields import FieldError, invalid
from sidings.api.kind import Kind
from sidings.api.objects import Object, copy_of
from sidings.api.status import InternalError

API_VERSION, KIND = "autoscaling/v1", "Scale"


def scale_of(kind: Kind, obj: Object) -> Object:
    """The ``Scale`` of ``obj``. Raises ``InternalError`` where its replicas are not set."""
    assert kind.scale is not None
    replicas = _at(obj, kind.scale.replicas)
    if replicas is None:
        shown = "." + ".".join(kind.scale.replicas)
        raise InternalError(f'Internal error occurred: the spec replicas field "{shown}" does not exist')
    metadata = obj["metadata"]
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    status: Object = {"replicas": _at(obj, kind.scale.status_replicas) or 0}
    if selector := _at(obj, kind.scale.selector):
        status["selector"] = selector
    return {
        "kind": KIND,
        "apiVersion": API_VERSION,
        "metadata": {field: metadata[field] for field in kept if field in metadata},
        "spec": {"replicas": replicas},
        "status": status,
    }


def scaled(kind: Kind, obj: Object, replicas: int) -> Object:
    """A copy of ``obj`` with so many replicas."""
    assert kind.scale is not None
    made: Object = copy_of(obj)
    holder = made
    for field in kind.scale.replicas[:-1]:
        holder = holder.setdefault(field, {})
    holder[kind.scale.replicas[-1]] = replicas
    return made


def validate(scale: Object) -> list[FieldError]:
    """What is wrong with a ``Scale`` that a client sends."""
    replicas = (scale.get("spec") or {}).get("replicas", 0)
    if not isinstance(replicas, int) or isinstance(replicas, bool):
        return [invalid("spec.replicas", replicas, "must be an integer")]
    if replicas < 0:
        return [invalid("spec.replicas", replicas, "must be greater than or equal to 0")]
    return []


def _at(obj: Any, path: tuple[str, ...]) -> Any:
    for field in path:
        if not isinstance(obj, dict):
            return None
        obj = obj.get(field)
    return obj if path else None
