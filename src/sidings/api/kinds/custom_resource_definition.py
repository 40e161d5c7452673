"""CustomResourceDefinition: a kind declared at run time.

The definition is stored like any object; :func:`kinds_of` turns a stored one into the kinds to serve. Its status says
whether its names are its own (``registry/admission/definitions``), and only then it is served. A definition that is
deleted keeps a finalizer until its objects are gone (``controllers/custom_resources``).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import schemas, structural
from sidings.api.cel import rules as cel
from sidings.api.definition import accepted_names, validation, versions
from sidings.api.fields import FieldError, invalid
from sidings.api.kind import Column, Kind, Rules, Scale, Schema
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import CRDS, Resource
from sidings.api.structural.ratcheting import MISSING

CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
"""The finalizer that keeps a definition until all of its objects are deleted."""


WEBHOOK_IGNORED = "spec.conversion: conversion webhooks are not called by this server; only one version is served"


class DefinitionRules(Rules):
    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        names = spec.setdefault("names", {})
        kind = str(names.get("kind") or "")
        names.setdefault("singular", kind.lower())
        names.setdefault("listKind", f"{kind}List")
        spec.setdefault("conversion", {"strategy": "None"})

    def default_on_create(self, obj: Object) -> None:
        finalizers = obj["metadata"].setdefault("finalizers", [])
        if CLEANUP not in finalizers:
            finalizers.append(CLEANUP)

    def prepare_for_update(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]

    def validate(self, obj: Object) -> list[FieldError]:
        return validation.errors(obj)

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        changed = [f for f in ("group", "scope") if new["spec"].get(f) != old["spec"].get(f)]
        errors = [invalid(f"spec.{field}", new["spec"].get(field), "field is immutable") for field in changed]
        for field in ("kind", "plural"):
            if new["spec"]["names"].get(field) != old["spec"]["names"].get(field):
                value = new["spec"]["names"].get(field)
                errors.append(invalid(f"spec.names.{field}", value, "field is immutable"))
        return errors + versions.stored_errors(new)

    def validate_status_update(self, new: Object, old: Object) -> list[FieldError]:
        return versions.stored_errors(new)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        conversion = obj["spec"].get("conversion") or {}
        return [WEBHOOK_IGNORED] if conversion.get("strategy") == "Webhook" else []


class CustomRules(Rules):
    """The CEL rules of a definition's schema. They are asked of objects that fit the schema otherwise."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def validate_create(self, obj: Object) -> list[FieldError]:
        return [] if structural.validate(self._schema, obj) else list(cel.broken(self._schema, obj))

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        return [] if structural.validate(self._schema, new, old=old) else list(cel.broken(self._schema, new, old))

    def validate_status_update(self, new: Object, old: Object) -> list[FieldError]:
        schema = (self._schema.get("properties") or {}).get("status")
        if schema is None or new.get("status") is None or structural.validate_status(self._schema, new, old=old):
            return []
        return list(cel.broken(schema, new["status"], old.get("status", MISSING), "status"))


def resources_of(definition: Object) -> list[Resource]:
    """The address of every served version; the version in which objects are kept comes first."""
    if not accepted_names.is_established(definition):
        return []
    spec, kept_in = definition["spec"], versions.home(definition)
    names, namespaced = definition["status"]["acceptedNames"], spec["scope"] == "Namespaced"
    shown = sorted(versions.served(definition), key=lambda version: version["name"] != kept_in)
    return [Resource(spec["group"], v["name"], names["plural"], names["kind"], namespaced) for v in shown]


def kinds_of(definition: Object) -> list[Kind]:
    """The kinds of a stored definition, one for each served version, the preferred one first."""
    if not accepted_names.is_established(definition):
        return []
    kinds = [_kind(definition, version) for version in versions.served(definition)]
    return versions.views(kinds, versions.home(definition))


def _kind(definition: Object, version: Object) -> Kind:
    spec, names = definition["spec"], definition["status"]["acceptedNames"]
    schema = schemas.of_objects(version["schema"]["openAPIV3Schema"])
    return Kind(
        resource=Resource(
            spec["group"], version["name"], names["plural"], names["kind"], namespaced=spec["scope"] == "Namespaced"
        ),
        singular=names["singular"],
        schema=schema,
        builtin=False,
        rules=CustomRules(schema) if cel.has_rules(schema) else Rules(),
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        subresources=frozenset({"status", "scale"} & (version.get("subresources") or {}).keys()),
        scale=_scale((version.get("subresources") or {}).get("scale")),
        columns=(columns.NAME, *(_columns(version) or (columns.DATE_AGE,))),
        field_labels={
            path["jsonPath"].removeprefix("."): path["jsonPath"].removeprefix(".")
            for path in version.get("selectableFields") or ()
        },
    )


def _scale(declared: Object | None) -> Scale | None:
    if declared is None:
        return None
    fields = ("specReplicasPath", "statusReplicasPath", "labelSelectorPath")
    return Scale(*(tuple(filter(None, str(declared.get(field) or "").split("."))) for field in fields))


def _columns(version: Object) -> tuple[Column, ...]:
    return tuple(
        Column(
            column["name"],
            type=column["type"],
            json_path=column["jsonPath"],
            priority=column.get("priority") or 0,
            format=column.get("format") or "",
            description=column.get("description") or "",
        )
        for column in version.get("additionalPrinterColumns") or ()
    )


def _created(obj: Object, now: datetime) -> Any:
    return obj["metadata"].get("creationTimestamp")


KIND = Kind(
    resource=CRDS,
    singular="customresourcedefinition",
    schema=schemas.schema(CRDS.group, CRDS.version, CRDS.kind),
    builtin=True,
    rules=DefinitionRules(),
    short_names=("crd", "crds"),
    categories=("api-extensions",),
    subresources=frozenset({"status"}),
    columns=(columns.NAME, Column("Created At", type="date", cell=_created, description="When it was created.")),
)
