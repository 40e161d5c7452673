"""What all kinds of Kueue have in common: the CEL rules of their schema, and a finalizer while they are in use."""

from __future__ import annotations

from sidings.api.kind import Schema
from sidings.api.kinds.custom_resource_definition import CustomRules
from sidings.api.kueue.keys import RESOURCE_IN_USE
from sidings.api.objects import Object


class KueueRules(CustomRules):
    """``guarded``: whether the mutating webhook puts the finalizer on at creation; a controller takes it off."""

    def __init__(self, schema: Schema, *, guarded: bool = False) -> None:
        super().__init__(schema)
        self._guarded = guarded
        spec = (schema.get("properties") or {}).get("spec")
        self._has_spec = spec is not None and not spec.get("required")

    def default(self, obj: Object) -> None:
        """Upstream's types always have a spec: one that is left out is empty, where that is allowed."""
        if self._has_spec and obj.get("spec") is None:
            obj["spec"] = {}

    def default_on_create(self, obj: Object) -> None:
        finalizers = obj["metadata"].setdefault("finalizers", []) if self._guarded else []
        if self._guarded and RESOURCE_IN_USE not in finalizers:
            finalizers.append(RESOURCE_IN_USE)
