"""The bridge from ``kubectl apply`` to ``kubectl apply --server-side``: the last-applied annotation.

An object made by client-side apply belongs to the manager ``kubectl-client-side-apply``. When ``kubectl`` then applies
on the server, fields that still have the value it last applied are its own in all but name: it may take them without a
conflict. And while the annotation is there it is kept up to date, so that the way back works too. Only the manager
``kubectl`` gets this (``managedfields/internal/lastappliedmanager.go``).
"""

from __future__ import annotations

import json

from sidings.api.apply import comparing
from sidings.api.apply.fieldset import FieldSet
from sidings.api.kind import Kind
from sidings.api.objects import Object, annotations_of, copy_of

ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
MANAGER = "kubectl"


def unchanged_fields(kind: Kind, live: Object) -> FieldSet:
    """The fields of ``live`` that still are as last applied; none where the annotation is missing or unreadable."""
    try:
        applied = json.loads(annotations_of(live).get(ANNOTATION, ""))
    except ValueError:
        return FieldSet()
    if not isinstance(applied, dict) or applied.get("kind") != kind.resource.kind:
        return FieldSet()
    difference = comparing.compare(applied, live, kind.schema)
    return comparing.fields_of(applied, kind.schema) - difference.changed - difference.removed


def refreshed(result: Object, applied: Object) -> Object:
    """``result`` with the annotation, if it has one, saying what has just been applied."""
    annotations = annotations_of(result)
    if ANNOTATION not in annotations:
        return result
    configuration = copy_of(applied)
    others = {name: text for name, text in annotations_of(configuration).items() if name != ANNOTATION}
    configuration["metadata"].pop("annotations", None)
    if others:
        configuration["metadata"]["annotations"] = others
    text = json.dumps(configuration, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"
    return {**result, "metadata": {**result["metadata"], "annotations": {**annotations, ANNOTATION: text}}}
