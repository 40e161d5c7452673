"""CustomResourceDefinition: a kind declared at run time.

The definition is stored like any object; :func:`kinds_of` turns a stored one into the kinds to serve. Upstream has a
controller check names and set the conditions ``NamesAccepted`` and ``Established``; here names are checked where the
definition is written, so it is established at once. A definition that is deleted keeps a finalizer until its objects
are gone (``controllers/custom_resources``).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import schemas, structural
from sidings.api.cel import rules as cel
from sidings.api.fields import FieldError, invalid, not_supported, required
from sidings.api.kind import Column, Kind, Rules, Scale, Schema
from sidings.api.kinds import columns
from sidings.api.objects import Object, copy_of
from sidings.api.resources import CRDS, Resource

SCOPES = ("Cluster", "Namespaced")
CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
"""The finalizer that keeps a definition until all of its objects are deleted."""



class DefinitionRules(Rules):
    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        names = spec.setdefault("names", {})
        kind = str(names.get("kind") or "")
        names.setdefault("singular", kind.lower())
        names.setdefault("listKind", f"{kind}List")
        spec.setdefault("conversion", {"strategy": "None"})

    def default_on_create(self, obj: Object) -> None:
        obj["status"] = established(obj)
        finalizers = obj["metadata"].setdefault("finalizers", [])
        if CLEANUP not in finalizers:
            finalizers.append(CLEANUP)

    def prepare_for_update(self, new: Object, old: Object) -> None:
        new["status"] = {**old["status"], "acceptedNames": new["spec"]["names"]}

    def validate(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        names, versions = spec["names"], spec.get("versions") or []
        errors = []
        wanted = f"{names.get('plural') or ''}.{spec.get('group') or ''}"
        name = obj["metadata"].get("name") or ""
        if name != wanted:
            errors.append(invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group'))
        if not spec.get("group"):
            errors.append(required("spec.group"))
        errors += [required(f"spec.names.{field}") for field in ("plural", "kind") if not names.get(field)]
        if spec.get("scope") not in SCOPES:
            errors.append(not_supported("spec.scope", spec.get("scope") or "", SCOPES))
        if sum(bool(version.get("storage")) for version in versions) != 1:
            detail = "must have exactly one version marked as storage version"
            errors.append(invalid("spec.versions", [v.get("name") for v in versions], detail))
        for index, version in enumerate(versions):
            path = f"spec.versions[{index}].schema.openAPIV3Schema"
            schema = (version.get("schema") or {}).get("openAPIV3Schema")
            if not schema:
                errors.append(required(path, "schemas are required"))
                continue
            for where, rule, wrong in cel.unreadable(schema, path):
                errors.append(invalid(where, rule, f"compilation failed: {wrong}"))
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        changed = [f for f in ("group", "scope") if new["spec"].get(f) != old["spec"].get(f)]
        errors = [invalid(f"spec.{field}", new["spec"].get(field), "field is immutable") for field in changed]
        for field in ("kind", "plural"):
            if new["spec"]["names"].get(field) != old["spec"]["names"].get(field):
                value = new["spec"]["names"].get(field)
                errors.append(invalid(f"spec.names.{field}", value, "field is immutable"))
        return errors


class CustomRules(Rules):
    """The CEL rules of a definition's schema. They are asked of objects that fit the schema otherwise."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def validate_create(self, obj: Object) -> list[FieldError]:
        return [] if structural.validate(self._schema, obj) else list(cel.broken(self._schema, obj))

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        return [] if structural.validate(self._schema, new) else list(cel.broken(self._schema, new, old))

    def validate_status_update(self, new: Object, old: Object) -> list[FieldError]:
        schema = (self._schema.get("properties") or {}).get("status")
        if schema is None or new.get("status") is None or structural.validate_status(self._schema, new):
            return []
        return list(cel.broken(schema, new["status"], old.get("status", cel.MISSING), "status"))


def established(definition: Object) -> Object:
    """The status of a definition whose kinds are served."""
    spec, since = definition["spec"], definition["metadata"].get("creationTimestamp")
    return {
        "acceptedNames": copy_of(spec["names"]),
        "conditions": [
            {
                "type": "NamesAccepted",
                "status": "True",
                "reason": "NoConflicts",
                "message": "no conflicts found",
                "lastTransitionTime": since,
            },
            {
                "type": "Established",
                "status": "True",
                "reason": "InitialNamesAccepted",
                "message": "the initial names have been accepted",
                "lastTransitionTime": since,
            },
        ],
        "storedVersions": [version["name"] for version in spec.get("versions") or () if version.get("storage")],
    }


def resources_of(definition: Object) -> list[Resource]:
    """The address of every served version; the version in which objects are stored comes first."""
    spec = definition["spec"]
    names, namespaced = spec["names"], spec["scope"] == "Namespaced"
    versions = sorted((v for v in spec["versions"] if v.get("served")), key=lambda v: not v.get("storage"))
    return [Resource(spec["group"], v["name"], names["plural"], names["kind"], namespaced) for v in versions]


def kinds_of(definition: Object) -> list[Kind]:
    """The kinds of a stored definition, one for each served version."""
    return [_kind(definition["spec"], version) for version in definition["spec"]["versions"] if version.get("served")]


def _kind(spec: Object, version: Object) -> Kind:
    names = spec["names"]
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
