"""Rules of environment variables and of where their values come from."""

from __future__ import annotations

import re

from sidings.api.fields import FieldError, invalid, not_supported, required
from sidings.api.names import config_map_key, dns1123_subdomain, env_var_name
from sidings.api.objects import Object

BAD_SOURCES = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"

SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
FIELDS = (
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
)  # fmt: skip
CONTAINER_RESOURCES = (
    "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage",
    "requests.memory",
)  # fmt: skip

_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['[^']+'\]")


def validate(variables: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, variable in enumerate(variables):
        at = f"{path}[{index}]"
        name = variable.get("name") or ""
        if not name:
            errors.append(required(f"{at}.name"))
        else:
            errors += [invalid(f"{at}.name", name, message) for message in env_var_name(name)]
        if variable.get("valueFrom") is not None:
            errors += _validate_value_from(variable, f"{at}.valueFrom")
    return errors


def _validate_value_from(variable: Object, path: str) -> list[FieldError]:
    value_from = variable["valueFrom"]
    present = [name for name in SOURCES if value_from.get(name) is not None]
    errors: list[FieldError] = []
    for name in present:
        errors += _validate_reference(name, value_from[name], f"{path}.{name}")
    if not present:
        errors.append(invalid(path, "", BAD_SOURCES))
    elif variable.get("value"):
        errors.append(invalid(path, "", "may not be specified when `value` is not empty"))
    elif len(present) > 1:
        errors.append(invalid(path, "", "may not have more than one field specified at a time"))
    return errors


def _validate_reference(type_: str, reference: Object, path: str) -> list[FieldError]:
    match type_:
        case "fieldRef":
            field = reference.get("fieldPath") or ""
            if not field:
                return [required(f"{path}.fieldPath")]
            if field in FIELDS or _SUBSCRIPT.fullmatch(field):
                return []
            if field in ("metadata.labels", "metadata.annotations", "spec.restartPolicy", "status.phase"):
                return [not_supported(f"{path}.fieldPath", field, FIELDS)]
            detail = f"error converting fieldPath: field label not supported: {field}"
            return [invalid(f"{path}.fieldPath", field, detail)]
        case "resourceFieldRef":
            resource = reference.get("resource") or ""
            if not resource:
                return [required(f"{path}.resource")]
            if resource in CONTAINER_RESOURCES or resource.startswith(("limits.hugepages-", "requests.hugepages-")):
                return []
            return [not_supported(f"{path}.resource", resource, CONTAINER_RESOURCES)]
        case "configMapKeyRef" | "secretKeyRef":
            key = reference.get("key") or ""
            errors = [] if reference.get("name") else [required(f"{path}.name")]
            if not key:
                return [*errors, required(f"{path}.key")]
            return errors + [invalid(f"{path}.key", key, message) for message in config_map_key(key)]
    return []


def validate_sources(sources: list[Object], path: str) -> list[FieldError]:
    """``envFrom``: all keys of one ConfigMap or Secret."""
    errors: list[FieldError] = []
    for index, source in enumerate(sources):
        at = f"{path}[{index}]"
        prefix = source.get("prefix") or ""
        if prefix:
            errors += [invalid(f"{at}.prefix", prefix, message) for message in env_var_name(prefix)]
        present = [name for name in ("configMapRef", "secretRef") if source.get(name) is not None]
        if not present:
            errors.append(invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"))
        elif len(present) > 1:
            errors.append(invalid(at, "", "may not have more than one field specified at a time"))
        for name in present:
            target = source[name].get("name") or ""
            if not target:
                errors.append(required(f"{at}.{name}.name"))
            else:
                errors += [invalid(f"{at}.{name}.name", target, message) for message in dns1123_subdomain(target)]
    return errors
