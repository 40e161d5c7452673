"""A file system without space: which one it is, and the command that gives it more or shows what fills it.

The path in the log leads to a volume of the pod. A directory of the pod's has the size that its job sets; a claim is
grown, where a cluster's storage can; on this machine both lie on its own disk, which ``doctor`` looks at.
"""

from __future__ import annotations

import json
import re

from sidings.answers.resubmission import Revision, template_of
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import machine
from sidings.api import quantity
from sidings.api.objects import Object, namespace_of

LARGER = 2
"""Times the size that was too small."""
_PATH = re.compile(r"No space left on device: '(/[^']*)'")


def remedy(root: Object, pod: Object, container: Object, line: str, around: Surroundings) -> str:
    """The command; empty where the log does not tell which file system it is."""
    found = _PATH.search(line)
    volume = _volume_at(found[1], pod, container) if found else {}
    if (volume.get("emptyDir") or {}).get("sizeLimit"):
        return _larger_directory(root, pod, volume, around)
    if machine.is_here(pod, around):
        return "sidings doctor"
    claim = around.find("PersistentVolumeClaim", _claim_of(volume), namespace_of(pod))
    return _larger_claim(claim, around) if claim else ""


def _volume_at(path: str, pod: Object, container: Object) -> Object:
    """The volume on which ``path`` lies, that of the innermost mount; empty where it is on none."""
    mounts = {str(mount["mountPath"]).rstrip("/"): mount["name"] for mount in container.get("volumeMounts") or ()}
    around_it = [place for place in mounts if path == place or path.startswith(f"{place}/")]
    if not around_it:
        return {}
    name = mounts[max(around_it, key=len)]
    found: Object = next((volume for volume in pod["spec"].get("volumes") or () if volume["name"] == name), {})
    return found


def _claim_of(volume: Object) -> str:
    return str((volume.get("persistentVolumeClaim") or {}).get("claimName") or "")


def _larger_directory(root: Object, pod: Object, volume: Object, around: Surroundings) -> str:
    template = template_of(root, pod)
    volumes = template.pods["spec"].get("volumes") or () if template else ()
    revision, limit = Revision(root), volume["emptyDir"]["sizeLimit"]
    for index, each in enumerate(volumes):
        if template is not None and each["name"] == volume["name"]:
            path = (*template.path, "spec", "volumes", index, "emptyDir", "sizeLimit")
            revision.set(path, _larger(limit))
    return revision.command(around) if revision.changed else ""


def _larger_claim(claim: Object, around: Surroundings) -> str:
    asked = claim["spec"]["resources"]["requests"]["storage"]
    body = json.dumps({"spec": {"resources": {"requests": {"storage": _larger(asked)}}}})
    name, namespace = claim["metadata"]["name"], namespace_of(claim)
    return around.kubectl("patch", "pvc", name, "-n", namespace, "--type=merge", "-p", body)


def _larger(size: str) -> str:
    return quantity.binary(int(quantity.parse(size) * LARGER))
