"""Claims, ConfigMaps and Secrets that pods name and that are not there, or lack the key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidings.answers import codes
from sidings.answers.explanations import finding
from sidings.answers.finding import Finding
from sidings.answers.surroundings import Surroundings
from sidings.answers.why.queues import created
from sidings.api.objects import Object

_CODES = {
    "PersistentVolumeClaim": codes.NO_CLAIM,
    "ConfigMap": codes.NO_CONFIG_MAP,
    "Secret": codes.NO_SECRET,
}
_CLAIM_SIZE = "10Gi"
"""Asked for by the claim that a remedy creates."""


class Reference(NamedTuple):
    """An object that a pod needs; ``key`` is empty where the whole object is."""

    kind: str
    name: str
    key: str = ""


def find(specs: Iterable[Object], namespace: str, around: Surroundings) -> Iterator[Finding]:
    """Every reference of ``specs`` (pod specs) that leads nowhere, once."""
    needed = dict.fromkeys(reference for spec in specs for reference in of_spec(spec))
    missing = set()
    for reference in needed:
        if not around.knows(reference.kind) or (reference.kind, reference.name) in missing:
            continue
        there = around.find(reference.kind, reference.name, namespace)
        if there is None:
            missing.add((reference.kind, reference.name))
            keys = [r.key for r in needed if (r.kind, r.name) == (reference.kind, reference.name) and r.key]
            yield _missing(reference, keys, namespace, around)
        elif reference.key and reference.key not in _keys(there):
            yield _no_key(reference, there, namespace, around)


def of_spec(spec: Object) -> Iterator[Reference]:
    """What a pod of ``spec`` cannot start without; optional references are left out."""
    for volume in spec.get("volumes") or ():
        if claim := volume.get("persistentVolumeClaim"):
            yield Reference("PersistentVolumeClaim", claim["claimName"])
        for kind, field, name in (("ConfigMap", "configMap", "name"), ("Secret", "secret", "secretName")):
            yield from _of_volume(kind, volume.get(field), name)
        for source in (volume.get("projected") or {}).get("sources") or ():
            for kind, field in (("ConfigMap", "configMap"), ("Secret", "secret")):
                yield from _of_volume(kind, source.get(field), "name")
    for container in [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]:
        yield from _of_environment(container)


def _of_volume(kind: str, source: Object | None, name: str) -> Iterator[Reference]:
    """The object, or the keys of it that become files."""
    if not source or source.get("optional") or not source.get(name):
        return
    items = source.get("items") or ()
    yield from (Reference(kind, source[name], item["key"]) for item in items)
    if not items:
        yield Reference(kind, source[name])


def _of_environment(container: Object) -> Iterator[Reference]:
    for source in container.get("envFrom") or ():
        for kind, field in (("ConfigMap", "configMapRef"), ("Secret", "secretRef")):
            if (found := source.get(field)) and not found.get("optional"):
                yield Reference(kind, found["name"])
    for variable in container.get("env") or ():
        for kind, field in (("ConfigMap", "configMapKeyRef"), ("Secret", "secretKeyRef")):
            found = (variable.get("valueFrom") or {}).get(field)
            if found and not found.get("optional"):
                yield Reference(kind, found["name"], found["key"])


def _keys(obj: Object) -> set[str]:
    return {*(obj.get("data") or {}), *(obj.get("binaryData") or {})}


def claim(name: str, namespace: str) -> Object:
    """A claim that pods of several nodes may mount."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": _CLAIM_SIZE}}},
    }


def _missing(reference: Reference, keys: list[str], namespace: str, around: Surroundings) -> Finding:
    kind, name = reference.kind, reference.name
    if kind == "PersistentVolumeClaim":
        remedy = created(around, claim(name, namespace))
    else:
        words = ["configmap", name] if kind == "ConfigMap" else ["secret", "generic", name]
        values = [f"--from-literal={key}=VALUE" for key in dict.fromkeys(keys)]
        remedy = around.kubectl("create", *words, "-n", namespace, *values)
    what = f'namespace "{namespace}" has no {kind} "{name}"'
    cause = f"its keys are to be: {', '.join(dict.fromkeys(keys))}" if keys else "pods mount or read it"
    return finding(_CODES[kind], f"{kind} {namespace}/{name}", what, cause=cause, remedy=remedy)


def _no_key(reference: Reference, there: Object, namespace: str, around: Surroundings) -> Finding:
    kind, name, key = reference
    field = "data" if kind == "ConfigMap" else "stringData"
    body = json.dumps({field: {key: "VALUE"}})
    return finding(
        codes.NO_KEY,
        f"{kind} {namespace}/{name}",
        f'{kind} "{name}" has no key "{key}"',
        cause=f"it has {', '.join(sorted(_keys(there))) or 'none'}",
        remedy=around.kubectl("patch", kind.lower(), name, "-n", namespace, "--type=merge", "-p", body),
    )
