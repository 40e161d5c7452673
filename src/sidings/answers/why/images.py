"""The command for an image that a container cannot have.

Surest first: a name that only needs other letters, a policy that forbids to look for the image. Where the pull itself
fails, the image is pulled once more by hand where that is possible, on this machine: it shows what the registry says,
and the pod starts with its next try once the image is there.
"""

from __future__ import annotations

import shlex

from sidings.answers.resubmission import TRAINER, Revision
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import machine
from sidings.api.objects import Object

INVALID_NAME, NEVER_PULLED = "InvalidImageName", "ErrImageNeverPull"
PULL_FAILED = frozenset({"ErrImagePull", "ImagePullBackOff"})


def remedy(reason: str, root: Object, pod: Object, container: Object, around: Surroundings) -> str:
    """The command for a container that waits for ``reason``; empty where there is none."""
    image = str(container.get("image") or "")
    if reason == INVALID_NAME:
        spelled = _spelled(image)
        return _resubmitted(root, pod, container, "image", spelled, around) if spelled not in ("", image) else ""
    if reason == NEVER_PULLED:
        return _resubmitted(root, pod, container, "imagePullPolicy", "IfNotPresent", around)
    engine = machine.container_engine(pod, around)
    return f"{engine} pull {shlex.quote(image)}" if engine and reason in PULL_FAILED else ""


def _spelled(image: str) -> str:
    """Without space, and in small letters, as all but a tag has to be."""
    path, slash, last = "".join(image.split()).rpartition("/")
    name, colon, tag = last.partition(":")
    return f"{path.lower()}{slash}{name.lower()}{colon}{tag}"


def _resubmitted(root: Object, pod: Object, container: Object, field: str, value: str, around: Surroundings) -> str:
    revision = Revision(root)
    paths = revision.containers(pod, container.get("name", ""))
    if not paths or (TRAINER in paths and field != "image"):
        return ""
    for path in paths:
        revision.set_in_container(path, field, value)
    return revision.command(around)
