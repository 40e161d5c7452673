"""Namespace: the scope of names. What ends it (emptying, then removal) is the namespace controller's work."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.names import dns1123_label
from sidings.api.objects import Object
from sidings.api.resources import NAMESPACES

NAME_LABEL = "kubernetes.io/metadata.name"
FINALIZER = "kubernetes"
"""The entry in ``spec.finalizers`` that holds a namespace until its objects are gone."""


class NamespaceRules(Rules):
    def default(self, obj: Object) -> None:
        metadata = obj["metadata"]
        if metadata.get("name"):
            metadata["labels"] = {**(metadata.get("labels") or {}), NAME_LABEL: metadata["name"]}

    def default_on_create(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        if FINALIZER not in spec.setdefault("finalizers", []):
            spec["finalizers"] = [*spec["finalizers"], FINALIZER]
        obj["status"] = {"phase": "Active"}

    def prepare_for_update(self, new: Object, old: Object) -> None:
        for field in ("spec", "status"):
            if field in old:
                new[field] = old[field]
            else:
                new.pop(field, None)

    def name_complaints(self, name: str) -> list[str]:
        return dns1123_label(name)


KIND = Kind(
    resource=NAMESPACES,
    singular="namespace",
    schema=schemas.schema(NAMESPACES.group, NAMESPACES.version, NAMESPACES.kind),
    builtin=True,
    rules=NamespaceRules(),
    short_names=("ns",),
    subresources=frozenset({"status", "finalize"}),
    columns=(
        columns.NAME,
        Column(
            "Status", cell=columns.field("status", "phase"), description="Active, or Terminating while it is emptied."
        ),
        columns.AGE,
    ),
    generation=False,
    field_labels={"status.phase": "status.phase"},
)
