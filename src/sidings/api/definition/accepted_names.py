"""Which names of a CustomResourceDefinition are its own: no two of a group may share one.

What kubectl and manifests call a kind (plural, singular, short names; kind and list kind) belongs to the definition
that asked first. A later one that wants a taken name is stored, says so in the condition ``NamesAccepted``, and is not
served until the name is free. One that is established stays so, under the names that it had. Conditions, reasons and
messages are those of ``k8s.io/apiextensions-apiserver/pkg/controller/status`` (v0.36).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sidings.api import conditions
from sidings.api.kind import Kind
from sidings.api.objects import Object, copy_of

NAMES_ACCEPTED = "NamesAccepted"
ESTABLISHED = "Established"


class Taken(NamedTuple):
    """The names that are somebody else's: a resource and a kind may be called alike."""

    resources: frozenset[str]
    kinds: frozenset[str]


def taken(group: str, name: str, definitions: Iterable[Object], own: Iterable[Kind]) -> Taken:
    """What of ``group`` the definition ``name`` may not have: names of other ``definitions``, and of our ``own`` kinds.

    A kind of ours is what its upstream definition makes, so that definition may be applied all the same.
    """
    others = [
        (definition.get("status") or {}).get("acceptedNames") or {}
        for definition in definitions
        if definition["spec"]["group"] == group and definition["metadata"]["name"] != name
    ]
    others += [_names(kind) for kind in own if kind.resource.group == group and kind.resource.group_resource != name]
    resources = (each.get(word) for each in others for word in ("plural", "singular"))
    short = (word for each in others for word in each.get("shortNames") or ())
    kinds = (each.get(word) for each in others for word in ("kind", "listKind"))
    return Taken(frozenset(filter(None, (*resources, *short))), frozenset(filter(None, kinds)))


def _names(kind: Kind) -> Mapping[str, Any]:
    resource = kind.resource
    return {
        "plural": resource.plural,
        "singular": kind.singular,
        "shortNames": kind.short_names,
        "kind": resource.kind,
        "listKind": f"{resource.kind}List",
    }


def judge(definition: Object, others: Taken, now: str) -> Object:
    """The status of ``definition`` as to its names, all else as it was; ``now``: when a condition turns."""
    status: Object = copy_of(definition.get("status") or {})
    wanted, accepted = definition["spec"]["names"], status.get("acceptedNames") or {}
    granted, reason, message = dict(accepted), "", ""
    for word, used in (("plural", others.resources), ("singular", others.resources)):
        reason, message = _grant(granted, wanted, word, used) or (reason, message)
    clashes = [
        _in_use(name)
        for name in wanted.get("shortNames") or ()
        if name in others.resources and name not in (accepted.get("shortNames") or ())
    ]
    if clashes:
        reason, message = "ShortNamesConflict", clashes[0] if len(clashes) == 1 else f"[{', '.join(clashes)}]"
    else:
        _copy(granted, wanted, "shortNames")
    for word, used in (("kind", others.kinds), ("listKind", others.kinds)):
        reason, message = _grant(granted, wanted, word, used) or (reason, message)
    _copy(granted, wanted, "categories")

    status["acceptedNames"] = _without_gaps(granted)
    if reason:
        _set(status, NAMES_ACCEPTED, "False", reason, message, now)
    else:
        _set(status, NAMES_ACCEPTED, "True", "NoConflicts", "no conflicts found", now)
    if not reason:
        _set(status, ESTABLISHED, "True", "InitialNamesAccepted", "the initial names have been accepted", now)
    elif not is_established({"status": status}):
        _set(status, ESTABLISHED, "False", "NotAccepted", "not all names are accepted", now)
    return status


def is_established(definition: Mapping[str, Any]) -> bool:
    """Whether its kinds are served."""
    return conditions.is_true(definition, ESTABLISHED)


def _grant(granted: Object, wanted: Mapping[str, Any], word: str, used: frozenset[str]) -> tuple[str, str] | None:
    """Give it the name that it wants, or say which reason and message the condition gets."""
    name = wanted.get(word)
    if name != granted.get(word) and name in used:
        return f"{word[0].upper()}{word[1:]}Conflict", _in_use(name)
    _copy(granted, wanted, word)
    return None


def _copy(granted: Object, wanted: Mapping[str, Any], word: str) -> None:
    granted.pop(word, None)
    if wanted.get(word):
        granted[word] = wanted[word]


def _without_gaps(granted: Object) -> Object:
    """Upstream always tells these two, and the schema demands them."""
    return {"plural": "", "kind": "", **granted}


def _in_use(name: object) -> str:
    return f'"{name}" is already in use'


def _set(status: Object, type_: str, value: str, reason: str, message: str, now: str) -> None:
    found = conditions.find(status.setdefault("conditions", []), type_)
    if found is None:
        found = {"type": type_}
        status["conditions"].append(found)
    since = found["lastTransitionTime"] if found.get("status") == value else now
    found.update(status=value, reason=reason, message=message, lastTransitionTime=since)
