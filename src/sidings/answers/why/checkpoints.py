"""Where a job writes what it wants to keep: a path on no volume that outlives its pod is lost with it.

The path is what the job calls so, by an option or a variable that training programs have in common.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from sidings.answers import codes
from sidings.answers.explanations import finding
from sidings.answers.family import Family
from sidings.answers.finding import Finding, place_of
from sidings.answers.resubmission import Revision, template_of
from sidings.answers.surroundings import Surroundings
from sidings.answers.why.queues import created
from sidings.answers.why.references import claim
from sidings.answers.why.remedies import command_of
from sidings.api.objects import Object, key_of

LASTING = frozenset(
    {"persistentVolumeClaim", "hostPath", "nfs", "csi", "cephfs", "glusterfs", "fc", "iscsi", "azureFile"}
)
"""Kinds of volumes that are there after the pod."""

_OPTION = re.compile(r"--?(?:checkpoint|ckpt|save|output)[-_](?:dir|path|folder)[= ]+['\"]?([^\s'\"]+)")
_VARIABLE = re.compile(r"^(?:CHECKPOINT|CKPT|SAVE|OUTPUT)_(?:DIR|PATH|FOLDER)$")


class Destination(NamedTuple):
    """``path`` is absolute, ``said`` the option or variable that names it."""

    container: str
    path: str
    said: str


def destinations(spec: Object) -> Iterator[Destination]:
    """Where the containers of a pod say that they write; stores elsewhere (``s3://``) are left out."""
    for container in spec.get("containers") or ():
        line = " ".join(command_of(container))
        named = [(found.group(1), found.group().strip()) for found in _OPTION.finditer(line)]
        for variable in container.get("env") or ():
            if _VARIABLE.match(variable["name"]) and variable.get("value"):
                named.append((variable["value"], f"{variable['name']}={variable['value']}"))
        for path, said in named:
            whole = posixpath.join(container.get("workingDir") or "", path)
            if whole.startswith("/") and "://" not in path:
                yield Destination(container["name"], posixpath.normpath(whole), said)


def vanishing(spec: Object) -> list[Destination]:
    """Those on no lasting volume."""
    lasting = {volume["name"] for volume in spec.get("volumes") or () if LASTING & volume.keys()}
    found = []
    for destination in destinations(spec):
        container = next(each for each in spec["containers"] if each["name"] == destination.container)
        mounts = [m["mountPath"].rstrip("/") for m in container.get("volumeMounts") or () if m["name"] in lasting]
        if not any(destination.path == mount or destination.path.startswith(f"{mount}/") for mount in mounts):
            found.append(destination)
    return found


def find(family: Family, around: Surroundings) -> Iterator[Finding]:
    """Of the first pod that writes to such a place."""
    for pod in family.living_pods()[:1]:
        for destination in vanishing(pod["spec"])[:1]:
            yield of_destination(destination, family.root, _mounted(family, pod, destination, around), around)


def of_destination(destination: Destination, root: Object, remedy: str, around: Surroundings) -> Finding:
    key = key_of(root)
    shown = around.kubectl("get", root["kind"].lower(), key.name, "-n", key.namespace, "-o", "yaml")
    return finding(
        codes.CHECKPOINTS_VANISH,
        place_of(root),
        f"it writes to {destination.path}, which is on no volume that outlives its pod",
        cause=f'container "{destination.container}": {destination.said}',
        remedy=remedy or shown,
    )


def _mounted(family: Family, pod: Object, destination: Destination, around: Surroundings) -> str:
    """A claim, and the job again with it mounted in all pods of the template; empty where a runtime has that."""
    template, revision = template_of(family.root, pod), Revision(family.root)
    path = revision.container(pod, destination.container)
    if template is None or path is None:
        return ""
    key = key_of(family.root)
    name = f"{key.name}-checkpoints"
    revision.append((*template.path, "spec", "volumes"), {"name": name, "persistentVolumeClaim": {"claimName": name}})
    revision.append((*path, "volumeMounts"), {"name": name, "mountPath": destination.path})
    return f"{created(around, claim(name, key.namespace))} && {revision.command(around)}"
