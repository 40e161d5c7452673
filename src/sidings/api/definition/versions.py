"""The versions of a CustomResourceDefinition: which are served, which is stored, how one is shown as another.

With the strategy ``None`` a version differs from another in its name and schema only. All are views of the objects of
one of them, in which they are kept: the storage version or, where that is not served, the first that is. An object that
is written in a version is checked by the schema of that version.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from sidings.api.fields import FieldError, invalid
from sidings.api.kind import Conversion, Kind
from sidings.api.objects import Object

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")
_STAGES = {"alpha": 0, "beta": 1, None: 2}


def served(definition: Object) -> list[Object]:
    """The served versions in the order of preference: v2, v1, v1beta2, v1beta1, v1alpha1, anything else by name."""
    return sorted((v for v in definition["spec"].get("versions") or () if v.get("served")), key=_preference)


def _preference(version: Object) -> tuple[int, int, int, int, str]:
    name = str(version["name"])
    found = _VERSION.fullmatch(name)
    if found is None:
        return (1, 0, 0, 0, name)
    return (0, -_STAGES[found[2]], -int(found[1]), -int(found[3] or 0), name)


def home(definition: Object) -> str:
    """The version that objects are kept in; empty where none is served."""
    shown = served(definition)
    return next((v["name"] for v in shown if v.get("storage")), shown[0]["name"] if shown else "")


def views(kinds: Sequence[Kind], kept_in: str) -> list[Kind]:
    """``kinds``, one for each version, with all but that of version ``kept_in`` as views of the objects of that."""
    return [kind if kind.resource.version == kept_in else _view(kind, kept_in) for kind in kinds]


def _view(kind: Kind, kept_in: str) -> Kind:
    resource = kind.resource._replace(version=kept_in)
    stored = replace(kind, resource=resource)
    conversion = Conversion(stored, _restamp(resource.api_version), _restamp(kind.resource.api_version), str)
    return replace(kind, conversion=conversion)


def _restamp(api_version: str) -> Callable[[Object], Object]:
    def restamped(obj: Object) -> Object:
        return {**obj, "apiVersion": api_version} if "apiVersion" in obj else obj

    return restamped


def stored_versions(definition: Object, before: Sequence[str] = ()) -> list[str]:
    """``status.storedVersions``: those ``before`` and the storage version."""
    served = definition["spec"].get("versions") or ()
    storage = [version.get("name") or "" for version in served if version.get("storage")]
    return [*before, *(name for name in storage if name not in before)]


def stored_errors(definition: Object) -> list[FieldError]:
    """A version in which objects may still be stored must not vanish."""
    known = {version.get("name") for version in definition["spec"].get("versions") or ()}
    stored = (definition.get("status") or {}).get("storedVersions") or []
    path = "status.storedVersions"
    return [
        invalid(
            f"{path}[{index}]",
            name,
            f"missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions "
            f"until a storage migration ensures no data remains persisted in {name} and removes {name} from {path}",
        )
        for index, name in enumerate(stored)
        if name not in known
    ]
