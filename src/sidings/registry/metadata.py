"""``metadata``: what the API server alone decides in it, and the rules for the rest.

Rules and messages are those of ``k8s.io/apimachinery/pkg/api/validation`` ``objectmeta.go`` and
``k8s.io/apiserver/pkg/registry/rest`` (v0.36).
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sidings.api import fields, label_rules, names, timestamps
from sidings.api.fields import FieldError
from sidings.api.kind import Kind
from sidings.api.kinds.custom_resource_definition import CLEANUP
from sidings.api.objects import Object

ORPHAN_FINALIZER = "orphan"
FOREGROUND_FINALIZER = "foregroundDeletion"
STANDARD_FINALIZERS = frozenset({"kubernetes", ORPHAN_FINALIZER, FOREGROUND_FINALIZER, CLEANUP})
"""The last one is given by the API server itself (upstream after the creation, when nobody checks it)."""

_IMMUTABLE = ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
_SYSTEM = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "resourceVersion")


def fill_in(kind: Kind, obj: Object, now: datetime, rng: random.Random) -> None:
    """A new object's uid, creationTimestamp and generation, whatever the client has sent."""
    metadata = obj["metadata"]
    for field in _SYSTEM:
        metadata.pop(field, None)
    metadata["uid"] = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    metadata["creationTimestamp"] = timestamps.to_text(now)
    if kind.generation:
        metadata["generation"] = 1


def carry_over(new: Object, old: Object) -> None:
    """What an update cannot change and may leave out or get wrong without an error."""
    mine, theirs = new["metadata"], old["metadata"]
    mine.setdefault("uid", theirs["uid"])
    for field in ("generation", "creationTimestamp"):
        if field in theirs:
            mine[field] = theirs[field]
        else:
            mine.pop(field, None)
    if "deletionTimestamp" in theirs:
        mine["deletionTimestamp"] = theirs["deletionTimestamp"]
        if "deletionGracePeriodSeconds" in theirs:
            mine.setdefault("deletionGracePeriodSeconds", theirs["deletionGracePeriodSeconds"])
    mine.pop("selfLink", None)


def bump_generation(kind: Kind, new: Object, old: Object) -> None:
    """One more where something has changed that a controller has to act on."""
    if not kind.generation:
        return
    watched = kind.spec_fields or tuple((new.keys() | old.keys()) - {"apiVersion", "kind", "metadata", "status"})
    if any(new.get(field) != old.get(field) for field in watched):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1


def validate_create(kind: Kind, obj: Object) -> list[FieldError]:
    metadata = obj["metadata"]
    errors = []
    prefix = metadata.get("generateName")
    if prefix:
        # A prefix may end in a dash, which a name may not.
        whole = prefix[:-2] + "a" if len(prefix) > 1 and prefix.endswith("-") else prefix
        complaints = kind.rules.name_complaints(whole)
        errors += [fields.invalid("metadata.generateName", prefix, text) for text in complaints]
    name = metadata.get("name")
    if not name:
        errors.append(fields.required("metadata.name", "name or generateName is required"))
    else:
        errors += [fields.invalid("metadata.name", name, text) for text in kind.rules.name_complaints(name)]
    errors += label_rules.of_labels(metadata.get("labels") or {}, "metadata.labels")
    errors += label_rules.of_annotations(metadata.get("annotations") or {}, "metadata.annotations")
    errors += _owners(metadata.get("ownerReferences") or [])
    errors += _finalizers(metadata.get("finalizers") or [])
    return errors


def validate_update(new: Object, old: Object) -> list[FieldError]:
    mine, theirs = new["metadata"], old["metadata"]
    errors = []
    if theirs.get("deletionTimestamp"):
        added = [f for f in mine.get("finalizers") or [] if f not in (theirs.get("finalizers") or [])]
        if added:
            shown = ", ".join(f'"{finalizer}"' for finalizer in sorted(added))
            errors.append(
                fields.forbidden(
                    "metadata.finalizers",
                    "no new finalizers can be added if the object is being deleted, found new finalizers "
                    f"[]string{{{shown}}}",
                )
            )
    for field in _IMMUTABLE:
        if mine.get(field) != theirs.get(field):
            errors.append(fields.invalid(f"metadata.{field}", mine.get(field), "field is immutable"))
    errors += label_rules.of_labels(mine.get("labels") or {}, "metadata.labels")
    errors += label_rules.of_annotations(mine.get("annotations") or {}, "metadata.annotations")
    errors += _owners(mine.get("ownerReferences") or [])
    # Upstream's strategies check the metadata once more after the common code has; both sets of causes are answered.
    return errors * 2


def _owners(references: Sequence[Mapping[str, Any]]) -> list[FieldError]:
    errors: list[FieldError] = []
    path = "metadata.ownerReferences"
    controller: Mapping[str, Any] | None = None
    for reference in references:
        api_version, kind = reference.get("apiVersion") or "", reference.get("kind") or ""
        group, _, version = api_version.rpartition("/")
        if not version:
            errors.append(fields.invalid(f"{path}.apiVersion", api_version, "version must not be empty"))
        for field in ("kind", "name", "uid"):
            if not reference.get(field):
                errors.append(fields.invalid(f"{path}.{field}", reference.get(field) or "", "must not be empty"))
        if (group, version, kind) == ("", "v1", "Event"):
            detail = f"{group}/{version}, Kind={kind} is disallowed from being an owner"
            errors.append(fields.invalid(path, _in_struct_order(reference), detail))
        if reference.get("controller"):
            if controller is not None:
                errors.append(
                    fields.invalid(
                        path,
                        [_in_struct_order(each) for each in references],
                        'Only one reference can have Controller set to true. Found "true" in references for '
                        f"{controller['kind']}/{controller['name']} and {kind}/{reference.get('name')}",
                    )
                )
            else:
                controller = reference
    return errors


def _in_struct_order(reference: Mapping[str, Any]) -> Object:
    """As Go prints an OwnerReference."""
    order = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")
    return {field: reference[field] for field in order if field in reference}


def _finalizers(finalizers: Sequence[str]) -> list[FieldError]:
    errors = []
    path = "metadata.finalizers"
    for index, finalizer in enumerate(finalizers):
        where = f"{path}[{index}]"
        errors += [fields.invalid(where, finalizer, text) for text in names.qualified_name(finalizer)]
        if "/" not in finalizer and finalizer not in STANDARD_FINALIZERS:
            detail = "name is neither a standard finalizer name nor is it fully qualified"
            errors.append(fields.invalid(where, finalizer, detail))
    if ORPHAN_FINALIZER in finalizers and FOREGROUND_FINALIZER in finalizers:
        detail = f"finalizer {ORPHAN_FINALIZER} and {FOREGROUND_FINALIZER} cannot be both set"
        errors.append(fields.invalid(path, list(finalizers), detail))
    return errors
