"""Cases of JobSet's behaviour as data (``jobset/*.yaml``), and how one is played on a stage.

A case is a JobSet, steps, and after a step what must be so. The stage ``jobset_planner`` is the pure plan and nothing
else; the stage ``jobset_server`` is any Kubernetes API with a JobSet controller behind it, ours in this process or a
cluster. Jobs are declared to be managed by somebody else, so that no Job controller interferes: the script says what
becomes of them (``jobset_script``). ``only: planner`` or ``only: server`` says that the other stage has not what a case
needs (a garbage collector, rules of admission, two failures in one moment).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import yaml

from sidings.api import objects
from sidings.api.feature_gates import FeatureGates, Gate
from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS
from tests.conformance.jobset_script import MANAGER
from tests.conformance.jobset_state import contains, state

FOLDER = Path(__file__).with_name("jobset")


@dataclass(frozen=True)
class Case:
    name: str
    data: Object

    @property
    def gates(self) -> FeatureGates:
        return frozenset(Gate(name) for name in self.data.get("gates") or ())

    @property
    def jobset(self) -> Object:
        """As a user would send it: without defaults."""
        groups = self.data.get("groups") or [{"name": "a"}, {"name": "b", "replicas": 3}]
        made: Object = {
            "apiVersion": JOB_SETS.api_version,
            "kind": JOB_SETS.kind,
            "metadata": {"annotations": self.data.get("annotations") or {}},
            "spec": {"replicatedJobs": list(map(_group, groups)), **(self.data.get("jobset") or {})},
        }
        if "generateName" in self.data:
            made["metadata"]["generateName"] = self.data["generateName"]
        else:
            made["metadata"]["name"] = self.data.get("name") or "js"
        return objects.copy_of(made)  # YAML's aliases make cases share their parts

    @property
    def status(self) -> Object:
        """What has happened to the JobSet before the first step."""
        return dict(self.data.get("status") or {})

    def is_for(self, stage: str) -> bool:
        return self.data.get("only", stage) == stage and not self.is_about_admission

    @property
    def is_about_admission(self) -> bool:
        return "refused" in self.data


def load() -> Iterator[Case]:
    for file in sorted(FOLDER.glob("*.yaml")):
        for data in yaml.safe_load(file.read_text()):
            yield Case(f"{file.stem}-{data['case']}", data)


class Stage(Protocol):
    """``state`` holds every key that an ``expect`` may ask for but ``objects``, which ``find`` answers."""

    async def start(self, jobset: Object, status: Object) -> None: ...

    async def act(self, verb: str, what: Any, step: Object) -> None: ...

    async def settled(self) -> tuple[Object | None, list[Object], list[str]]:
        """The JobSet, its Jobs and the texts of its events, once nothing changes any more."""
        ...

    async def find(self, kind: str, name: str) -> Object | None: ...


VERBS = (
    "stranger", "hold", "complete", "fail", "failing", "ready", "active", "suspended", "numbers", "release", "pods",
    "place", "resize", "set", "keep", "apply", "wait", "delete",
)  # fmt: skip
"""In the order in which a step does them. Lists of Jobs for most; ``place`` changes pod templates by group, ``resize``
the size of Jobs by group, ``numbers`` are (ready, succeeded) by Job, ``keep`` puts a finalizer on the JobSet, ``apply``
sends its manifest once more."""


async def play(case: Case, stage: Stage) -> list[str]:
    """What is not as expected."""
    await stage.start(case.jobset, case.status)
    complaints: list[str] = []
    for number, step in enumerate(case.data["steps"]):
        for verb in VERBS:
            if verb in step:
                await stage.act(verb, step[verb], step)
        jobset, jobs, events = await stage.settled()
        wanted = dict(step.get("expect") or {})
        for name in wanted.pop("absent", ()):
            if found := await stage.find(*name.split()):
                complaints.append(f"step {number}: {name} is there: {found}")
        for name, partial in (wanted.pop("objects", None) or {}).items():
            found = await stage.find(*name.split())
            if found is None or not contains(found, partial):
                complaints.append(f"step {number}: {name} is {found}, expected {partial}")
        found_state = state(jobset, jobs, events)
        for key, value in wanted.items():
            if not contains(found_state[key], value):
                complaints.append(f"step {number}: {key} is {found_state[key]}, expected {value}")
    return complaints


def _group(group: Object) -> Object:
    mounts = [{"name": name, "mountPath": f"/{name}"} for name in group.get("mounts") or ()]
    container = {"name": "main", "image": group.get("image", "img:1"), **({"volumeMounts": mounts} if mounts else {})}
    pod: Object = {"restartPolicy": "Never", "containers": [container], **(group.get("pod") or {})}
    if first := group.get("initMounts"):
        mounts = [{"name": name, "mountPath": f"/{name}"} for name in first]
        pod["initContainers"] = [{"name": "first", "image": "img:1", "volumeMounts": mounts}]
    given = {"parallelism": 1, "completions": 1, "managedBy": MANAGER, **(group.get("job") or {})}
    job_spec = {"template": {"spec": pod}, **{key: value for key, value in given.items() if value is not None}}
    own = {key: value for key, value in group.items() if key not in ("mounts", "initMounts", "image", "pod", "job")}
    return {"replicas": 1, "template": {"spec": job_spec}, **own}
