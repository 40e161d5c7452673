"""The command that submits a job anew with a change: what an accepted job asks of its pods cannot be changed.

``kubectl patch --dry-run=client`` changes a copy, ``kubectl replace --force`` deletes the job and creates the copy.
What the API server or a queue wrote into the job itself has to go first, or the copy would be refused or pinned.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sidings.answers.surroundings import Surroundings
from sidings.api.job import labels as job_labels
from sidings.api.jobset import labels as jobset_labels
from sidings.api.kueue import keys
from sidings.api.objects import Object, copy_of, key_of, labels_of
from sidings.api.trainer import words
from sidings.api.training_operator import framework
from sidings.api.training_operator import words as operator_words

Path = tuple[str | int, ...]

TRAINER: Path = ("spec", "trainer")
"""Where a TrainJob describes the container that trains, whose pods are its runtime's."""

_TEMPLATE: Path = ("spec", "template")
_OF_TRAINER = {"resources": "resourcesPerNode", "image": "image", "command": "command", "args": "args", "env": "env"}
_GENERATED = (
    job_labels.CONTROLLER_UID,
    job_labels.JOB_NAME,
    job_labels.LEGACY_CONTROLLER_UID,
    job_labels.LEGACY_JOB_NAME,
)


class Template(NamedTuple):
    """A pod template and the path to it; ``part`` is the replicated job or the role, empty where there is one only."""

    path: Path
    pods: Object
    part: str = ""


def templates(root: Object) -> Iterator[Template]:
    """The pod templates that a job carries itself; a TrainJob's are in its runtime."""
    spec = root["spec"]
    if of := framework.of_object(root):
        for role, replica in of.roles_of(root):
            yield Template(("spec", of.replica_specs, role, "template"), replica["template"], role.lower())
    elif root["kind"] == "JobSet":
        for index, part in enumerate(spec.get("replicatedJobs") or ()):
            path = ("spec", "replicatedJobs", index, "template", *_TEMPLATE)
            if "template" in part["template"]["spec"]:
                yield Template(path, part["template"]["spec"]["template"], part["name"])
    elif root["kind"] == "Job" and "template" in spec:
        yield Template(_TEMPLATE, spec["template"])


def template_of(root: Object, pod: Object) -> Template | None:
    """The template that ``pod`` was made of; None where the job does not carry it."""
    labels = labels_of(pod)
    part = labels.get(jobset_labels.REPLICATED_JOB_NAME) or labels.get(operator_words.REPLICA_TYPE) or ""
    return next((each for each in templates(root) if each.part in ("", part)), None)


class Revision:
    """A job with changes, step by step. ``set`` and ``remove`` take paths from the root of the object."""

    def __init__(self, root: Object) -> None:
        self._root = root
        self._job = copy_of(root)
        self._steps: list[Object] = []

    def container(self, pod: Object, name: str) -> Path | None:
        """Where the job describes a container of ``pod``; None where its runtime does."""
        template = template_of(self._root, pod)
        if template is None:
            is_trainer = self._root["kind"] == "TrainJob" and name == words.NODE
            return TRAINER if is_trainer else None
        for field in ("containers", "initContainers"):
            for index, container in enumerate(template.pods["spec"].get(field) or ()):
                if container["name"] == name:
                    return (*template.path, "spec", field, index)
        return None

    def containers(self, pod: Object, name: str) -> list[Path]:
        """As ``container``, and the same container in other parts of the job, which fares alike."""
        path = self.container(pod, name)
        if path is None or path == TRAINER:
            return [path] if path else []
        own = self.at(path)
        found = [path]
        for template in templates(self._root):
            for index, container in enumerate(template.pods["spec"].get(str(path[-2])) or ()):
                other = (*template.path, "spec", path[-2], index)
                if other != path and container == own:
                    found.append(other)
        return found

    @property
    def changed(self) -> bool:
        return bool(self._steps)

    def at(self, path: Path) -> Any:
        """What the job has there now."""
        at: Any = self._job
        for step in path:
            at = at[step]
        return at

    def set_in_container(self, path: Path, field: str, value: Any) -> None:
        """``field`` as a container has it (``resources``, ``command``); a TrainJob's trainer calls some otherwise."""
        self.set((*path, _OF_TRAINER[field] if path == TRAINER else field), value)

    def set(self, path: Path, value: Any) -> None:
        """Parents that are missing are made."""
        at: Any = self._job
        for depth, step in enumerate(path[:-1]):
            if not _has(at, step):
                for name in reversed(path[depth + 1 :]):
                    value = {name: value}
                path = path[: depth + 1]
                break
            at = at[step]
        there = _has(at, path[-1])
        if isinstance(at, list) and not there:
            at.append(value)
        else:
            at[path[-1]] = value
        self._steps.append({"op": "replace" if there else "add", "path": _pointer(path), "value": value})

    def append(self, path: Path, value: Any) -> None:
        """One more at the end of the list at ``path``."""
        at: Any = self._job
        for step in path:
            if not _has(at, step):
                self.set(path, [value])
                return
            at = at[step]
        at.append(value)
        self._steps.append({"op": "add", "path": f"{_pointer(path)}/-", "value": value})

    def remove(self, path: Path) -> None:
        del self.at(path[:-1])[path[-1]]
        self._steps.append({"op": "remove", "path": _pointer(path)})

    def command(self, around: Surroundings) -> str:
        """Deletes the job and submits it with the changes."""
        self._clean()
        key = key_of(self._root)
        kind = str(self._root["kind"]).lower()
        patch = json.dumps(self._steps)
        changed = around.kubectl(
            "patch", kind, key.name, "-n", key.namespace, "--type=json", "-p", patch, "--dry-run=client", "-o", "json"
        )
        return f"{changed} | {around.kubectl('replace', '--force', '-f', '-')}"

    def _clean(self) -> None:
        """What was written into the job after its submission, and would be in the way of the next."""
        spec = self._job["spec"]
        if self._root["kind"] == "Job" and "selector" in spec and not spec.get("manualSelector"):
            self.remove(("spec", "selector"))
            labels = (spec["template"].get("metadata") or {}).get("labels") or {}
            for name in [name for name in _GENERATED if name in labels]:
                self.remove(("spec", "template", "metadata", "labels", name))
        patches: Sequence[Object] = spec.get("runtimePatches") or ()
        for index in reversed(range(len(patches))):
            if patches[index].get("manager") == keys.MANAGER:
                self.remove(("spec", "runtimePatches", index))


def _has(at: Any, step: str | int) -> bool:
    if isinstance(at, list):
        return isinstance(step, int) and step < len(at)
    return step in at and at[step] is not None


def _pointer(path: Path) -> str:
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
