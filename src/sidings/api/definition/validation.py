"""The spec of a CustomResourceDefinition, but for its schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sidings.api import jsonpath, names
from sidings.api.definition import expressions, structure
from sidings.api.fields import FieldError, forbidden, invalid, not_supported, required, too_many
from sidings.api.objects import Object

SCOPES = ("Cluster", "Namespaced")
STRATEGIES = ("None", "Webhook")
COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
LONGEST_WARNING = 256
MOST_SELECTABLE_FIELDS = 8
SELECTABLE_TYPES = (
    "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
)
NO_WEBHOOKS = (
    "conversion webhooks are not called by this server, so only one version can be served; use strategy None where the "
    "versions have the same fields, or set served: false on all versions but one"
)


def errors(obj: Object) -> list[FieldError]:
    """Every broken rule of a definition that has its defaults."""
    spec = obj["spec"]
    wanted = f"{spec['names'].get('plural') or ''}.{spec.get('group') or ''}"
    name = obj["metadata"].get("name") or ""
    found = []
    if name != wanted:
        found.append(invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group'))
    found += _group(spec.get("group") or "")
    found += _one_of("spec.scope", spec.get("scope"), SCOPES)
    versions = spec.get("versions") or []
    shared = _shared(versions)
    for index, version in enumerate(versions):
        found += _version(version, f"spec.versions[{index}]")
        own = [part for part in _PARTS if part not in shared]
        found += _described(version, own, f"spec.versions[{index}]", "schema")
    if versions:
        found += _described(versions[0], shared, "spec", "validation")
    found += _versions(versions)
    found += _names(spec["names"])
    if spec.get("preserveUnknownFields"):
        detail = "must be false in order to use schemas; x-kubernetes-preserve-unknown-fields keeps fields of a part"
        found.append(invalid("spec.preserveUnknownFields", True, detail))
    found += _conversion(spec.get("conversion") or {}, versions)
    return found


def _one_of(path: str, value: Any, accepted: Sequence[str]) -> Iterator[FieldError]:
    if not value:
        yield required(path)
    elif value not in accepted:
        yield not_supported(path, value, accepted)


def _group(group: str) -> Iterator[FieldError]:
    if not group:
        yield required("spec.group")
    elif complaints := names.dns1123_subdomain(group):
        yield invalid("spec.group", group, ",".join(complaints))
    elif "." not in group:
        yield invalid("spec.group", group, "should be a domain with at least one dot")


def _versions(versions: Sequence[Object]) -> Iterator[FieldError]:
    told = [version.get("name") for version in versions]
    if len(set(told)) < len(told):
        yield invalid("spec.versions", told, "must contain unique version names")
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield invalid("spec.versions", told, "must have exactly one version marked as storage version")


def _version(version: Object, path: str) -> Iterator[FieldError]:
    if complaints := names.dns1035_label(str(version.get("name") or "")):
        yield invalid(f"{path}.name", version.get("name") or "", ",".join(complaints))
    warning = version.get("deprecationWarning")
    if warning is not None and not version.get("deprecated"):
        yield invalid(f"{path}.deprecationWarning", warning, "can only be set for deprecated versions")
    elif warning is not None and not 0 < len(warning) <= LONGEST_WARNING:
        detail = f"must be <= {LONGEST_WARNING} characters long" if warning else "must not be an empty string"
        yield invalid(f"{path}.deprecationWarning", warning, detail)
    if not (version.get("schema") or {}).get("openAPIV3Schema"):
        yield required(f"{path}.schema.openAPIV3Schema", "schemas are required")


_PARTS = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")


def _shared(versions: Sequence[Object]) -> list[str]:
    """What all versions have in common. Upstream's internal form has it once, so that is where its errors are."""
    return [part for part in _PARTS if all(each.get(part) == versions[0].get(part) for each in versions)]


def _described(version: Object, parts: Sequence[str], path: str, schema_word: str) -> Iterator[FieldError]:
    """The errors of those ``parts`` of ``version`` that lie at ``path``."""
    schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
    if "schema" in parts and schema:
        where = f"{path}.{schema_word}.openAPIV3Schema"
        shapeless = list(structure.errors(schema, where))
        yield from shapeless or expressions.errors(schema, where)
    if "subresources" in parts:
        yield from _scale((version.get("subresources") or {}).get("scale"), f"{path}.subresources.scale")
    if "additionalPrinterColumns" in parts:
        for index, column in enumerate(version.get("additionalPrinterColumns") or ()):
            yield from _column(column, f"{path}.additionalPrinterColumns[{index}]")
    if "selectableFields" in parts:
        yield from _selectable(version.get("selectableFields") or (), schema, f"{path}.selectableFields")


def _column(column: Object, path: str) -> Iterator[FieldError]:
    if not column.get("name"):
        yield required(f"{path}.name")
    if not column.get("type"):
        yield required(f"{path}.type", f"must be one of {','.join(COLUMN_TYPES)}")
    elif column["type"] not in COLUMN_TYPES:
        yield invalid(f"{path}.type", column["type"], f"must be one of {','.join(COLUMN_TYPES)}")
    if column.get("format") and column["format"] not in COLUMN_FORMATS:
        yield invalid(f"{path}.format", column["format"], f"must be one of {','.join(COLUMN_FORMATS)}")
    if not column.get("jsonPath"):
        yield required(f"{path}.jsonPath")
    else:
        try:
            jsonpath.find({}, column["jsonPath"])
        except ValueError as error:
            yield invalid(f"{path}.jsonPath", column["jsonPath"], str(error))


def _scale(scale: Mapping[str, Any] | None, path: str) -> Iterator[FieldError]:
    if scale is None:
        return
    wanted = (("specReplicasPath", ".spec.", True), ("statusReplicasPath", ".status.", True))
    for name, root, must in (*wanted, ("labelSelectorPath", "", False)):
        value = scale.get(name) or ""
        if not value:
            if must:
                yield required(f"{path}.{name}")
        elif not value.startswith(root or (".spec.", ".status.")):
            under = root[:-1] if root else ".spec or .status"
            yield invalid(f"{path}.{name}", value, f"should be a json path under {under}")


def _selectable(selectable: Sequence[Object], schema: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    if len(selectable) > MOST_SELECTABLE_FIELDS:
        yield too_many(path, len(selectable), MOST_SELECTABLE_FIELDS)
    seen = set()
    for index, each in enumerate(selectable):
        where, value = f"{path}[{index}].jsonPath", str(each.get("jsonPath") or "")
        parts = value.removeprefix(".").split(".")
        if not value:
            yield required(where)
        elif value in seen:
            yield FieldError(where, "FieldValueDuplicate", f'Duplicate value: "{value}"')
        elif parts[0] == "metadata":
            yield invalid(where, value, "must not point to fields in metadata")
        elif (found := _at(schema, parts)) is None:
            yield invalid(where, value, "is an invalid path: does not refer to a valid field")
        elif found.get("type") not in ("string", "boolean", "integer"):
            yield invalid(where, value, SELECTABLE_TYPES)
        seen.add(value)


def _at(schema: Mapping[str, Any], parts: Sequence[str]) -> Mapping[str, Any] | None:
    for part in parts:
        found = (schema.get("properties") or {}).get(part)
        if found is None:
            return None
        schema = found
    return schema


def _names(declared: Mapping[str, Any]) -> Iterator[FieldError]:
    for name in ("plural", "singular", "kind", "listKind"):
        value = str(declared.get(name) or "")
        path = f"spec.names.{name}"
        if not value:
            yield required(path)
        elif complaints := names.dns1035_label(value.lower() if name in ("kind", "listKind") else value):
            mixed = "may have mixed case, but should otherwise match: " if name in ("kind", "listKind") else ""
            yield invalid(path, value, mixed + ",".join(complaints))
    for name in ("shortNames", "categories"):
        for index, value in enumerate(declared.get(name) or ()):
            if complaints := names.dns1035_label(value):
                yield invalid(f"spec.names.{name}[{index}]", value, ",".join(complaints))
    if declared.get("kind") and declared["kind"] == declared.get("listKind"):
        yield invalid("spec.names.listKind", declared["listKind"], "kind and listKind may not be the same")


def _conversion(conversion: Mapping[str, Any], versions: Sequence[Object]) -> Iterator[FieldError]:
    path, strategy = "spec.conversion", conversion.get("strategy")
    yield from _one_of(f"{path}.strategy", strategy, STRATEGIES)
    if strategy == "Webhook" and sum(bool(version.get("served")) for version in versions) > 1:
        yield invalid(f"{path}.strategy", strategy, NO_WEBHOOKS)
    if strategy == "None" and conversion.get("webhook") is not None:
        yield forbidden(f"{path}.webhook", "should not be set when strategy is not set to Webhook")
