"""Rules of volumes and of their mounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidings.api.fields import FieldError, duplicate, forbidden, invalid, not_found, required
from sidings.api.names import dns1123_label
from sidings.api.objects import Object

SOURCES = (
    "emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi",
    "glusterfs", "persistentVolumeClaim", "rbd", "cinder", "cephfs", "flocker", "downwardAPI", "fc", "configMap",
    "azureFile", "vsphereVolume", "quobyte", "azureDisk", "storageos", "photonPersistentDisk", "projected",
    "portworxVolume", "scaleIO", "csi", "ephemeral", "image",
)  # fmt: skip
"""Volume types in the order in which upstream looks at them: the first one counts, each later one is an error."""

MORE_THAN_ONE = "may not specify more than 1 volume type"
NO_BACKSTEPS = "must not contain '..'"
RELATIVE = "must be a relative path"

_REQUIRED_FIELDS = {
    "hostPath": ("path",),
    "secret": ("secretName",),
    "nfs": ("server", "path"),
    "persistentVolumeClaim": ("claimName",),
    "configMap": ("name",),
}
_PROJECTIONS = ("secret", "downwardAPI", "configMap", "serviceAccountToken", "clusterTrustBundle", "podCertificate")


def validate(volumes: list[Object], path: str) -> tuple[list[FieldError], Mapping[str, Object]]:
    """Errors, and the good volumes by name: a mount of a bad one is ``Not found``, as upstream has it."""
    errors: list[FieldError] = []
    known: dict[str, Object] = {}
    names: set[str] = set()
    for index, volume in enumerate(volumes):
        at = f"{path}[{index}]"
        found = _validate_source(volume, at)
        name = volume.get("name") or ""
        if not name:
            found.append(required(f"{at}.name"))
        else:
            found += [invalid(f"{at}.name", name, message) for message in dns1123_label(name)]
        if name in names:
            found.append(duplicate(f"{at}.name", name))
        if found:
            errors += found
        else:
            names.add(name)
            known[name] = volume
    return errors, known


def _validate_source(volume: Object, path: str) -> list[FieldError]:
    types = [source for source in SOURCES if volume.get(source) is not None]
    if not types:
        return [required(path, "must specify a volume type")]
    errors = _validate_fields(types[0], volume[types[0]], f"{path}.{types[0]}")
    return errors + [forbidden(f"{path}.{extra}", MORE_THAN_ONE) for extra in types[1:]]


def _validate_fields(type_: str, source: Object, path: str) -> list[FieldError]:
    errors = [required(f"{path}.{field}") for field in _REQUIRED_FIELDS.get(type_, ()) if not source.get(field)]
    if type_ == "hostPath" and ".." in (source.get("path") or "").split("/"):
        errors.append(invalid(f"{path}.path", source["path"], NO_BACKSTEPS))
    if type_ in ("secret", "configMap"):
        errors += _validate_items(source.get("items") or [], f"{path}.items")
    if type_ == "downwardAPI":
        for index, item in enumerate(source.get("items") or ()):
            errors += _validate_file_path(item.get("path"), f"{path}.items[{index}].path")
    if type_ == "projected":
        errors += _validate_projected(source, path)
    return errors


def _validate_items(items: list[Object], path: str) -> list[FieldError]:
    errors = []
    for index, item in enumerate(items):
        if not item.get("key"):
            errors.append(required(f"{path}[{index}].key"))
        errors += _validate_file_path(item.get("path"), f"{path}[{index}].path")
    return errors


def _validate_file_path(value: str | None, path: str) -> list[FieldError]:
    """A file inside a volume: below its root, and not one of the hidden names that updates use."""
    if not value:
        return [required(path)]
    errors = validate_descending(value, path)
    if value.startswith("..") and not errors:
        errors.append(invalid(path, value, "must not start with '..'"))
    return errors


def _validate_projected(source: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, projection in enumerate(source.get("sources") or ()):
        at = f"{path}.sources[{index}]"
        types = [type_ for type_ in _PROJECTIONS if projection.get(type_) is not None]
        errors += [forbidden(f"{at}.{extra}", MORE_THAN_ONE) for extra in types[1:]]
        for type_ in types[:1]:
            inner = projection[type_]
            if type_ in ("secret", "configMap"):
                if not inner.get("name"):
                    errors.append(required(f"{at}.{type_}.name"))
                errors += _validate_items(inner.get("items") or [], f"{at}.{type_}.items")
            elif type_ == "serviceAccountToken" and not inner.get("path"):
                errors.append(required(f"{at}.{type_}.path"))
    return errors


def validate_mounts(mounts: list[Object], known: Mapping[str, Object], path: str) -> list[FieldError]:
    """Mounts of one container, against the volumes of its pod."""
    errors: list[FieldError] = []
    points: set[Any] = set()
    for index, mount in enumerate(mounts):
        at = f"{path}[{index}]"
        name, point = mount.get("name") or "", mount.get("mountPath") or ""
        if not name:
            errors.append(required(f"{at}.name"))
        elif name not in known:
            errors.append(not_found(f"{at}.name", name))
        if not point:
            errors.append(required(f"{at}.mountPath"))
        elif point in points:
            errors.append(invalid(f"{at}.mountPath", point, "must be unique"))
        points.add(point)
        if mount.get("subPath"):
            errors += validate_descending(mount["subPath"], f"{at}.subPath")
        if mount.get("subPathExpr"):
            if mount.get("subPath"):
                detail = "subPathExpr and subPath are mutually exclusive"
                errors.append(invalid(f"{at}.subPathExpr", mount["subPathExpr"], detail))
            errors += validate_descending(mount["subPathExpr"], f"{at}.subPathExpr")
    return errors


def validate_descending(value: str, path: str) -> list[FieldError]:
    """A path that stays below where it starts."""
    errors = [invalid(path, value, RELATIVE)] if value.startswith("/") else []
    if ".." in value.split("/"):
        errors.append(invalid(path, value, NO_BACKSTEPS))
    return errors
