"""What works and is regretted later: of a job that is not submitted yet, by its pods and by those that ran before.

Every warning names what it saw; a job that asks for nothing lasting and writes nothing is left alone only where that is
clear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sidings.answers import codes
from sidings.answers.explanations import finding
from sidings.answers.finding import Finding, place_of
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import checkpoints
from sidings.answers.why.remedies import memory_limit_of
from sidings.api import quantity
from sidings.api.objects import Object, key_of, name_of, namespace_of

USUAL_GRACE = 30
"""Kubernetes' default, and how long torchrun gives its workers between SIGTERM and SIGKILL (pytorch/pytorch#119856)."""


def find(job: Object, specs: Sequence[Object], around: Surroundings) -> Iterator[Finding]:
    """``specs`` are the pod specs of the job, one for each pod set."""
    where, name = place_of(job), key_of(job).name
    containers = [container for spec in specs for container in spec.get("containers") or ()]
    free = [container["name"] for container in containers if not memory_limit_of(container)]
    if free:
        what = f"container {', '.join(dict.fromkeys(free))} has no memory limit"
        yield finding(codes.NO_LIMITS, where, what, remedy=f"set resources.limits.memory in {name}")
    vanishing = [destination for spec in specs for destination in checkpoints.vanishing(spec)]
    if vanishing:
        remedy = f"mount a PersistentVolumeClaim at {vanishing[0].path} in {name}"
        yield checkpoints.of_destination(vanishing[0], job, remedy, around)
    elif not any(checkpoints.LASTING & volume.keys() for spec in specs for volume in spec.get("volumes") or ()):
        what = "no pod mounts a claim: what it writes goes with its pods"
        yield finding(codes.NOTHING_LASTS, where, what, remedy=f"mount a PersistentVolumeClaim in {name}")
    yield from _grace(job, specs)
    yield from _memory(job, containers, around)


def _grace(job: Object, specs: Sequence[Object]) -> Iterator[Finding]:
    """Of pods that write checkpoints."""
    for spec in specs:
        given = spec.get("terminationGracePeriodSeconds")
        saved = next(checkpoints.destinations(spec), None)
        if saved is not None and given is not None and int(given) < USUAL_GRACE:
            what = f"its pods get {given} s to write a checkpoint when they are stopped"
            cause = f"terminationGracePeriodSeconds: {given}, and {saved.said}"
            remedy = f"set terminationGracePeriodSeconds to {USUAL_GRACE} or more in {key_of(job).name}"
            yield finding(codes.GRACE_TOO_SHORT, place_of(job), what, cause=cause, remedy=remedy)
            return


def _memory(job: Object, containers: Sequence[Object], around: Surroundings) -> Iterator[Finding]:
    """A limit with which a container of the same image was killed before."""
    for container in containers:
        limit = memory_limit_of(container)
        for pod, seen in _killed(namespace_of(job), container["image"], around) if limit else ():
            if quantity.parse(limit) <= quantity.parse(seen):
                what = f'container "{container["name"]}" may use {limit}, and {seen} were too little before'
                cause = f"pod {name_of(pod)} was killed for its memory (OOMKilled)"
                remedy = f"raise resources.limits.memory above {seen} in {key_of(job).name}"
                yield finding(codes.MEMORY_SEEN, place_of(job), what, cause=cause, remedy=remedy)
                return


def _killed(namespace: str, image: str, around: Surroundings) -> Iterator[tuple[Object, str]]:
    """Pods of the namespace that were killed for their memory, with the limit they had."""
    for pod in around.of_kind("Pod"):
        if namespace_of(pod) != namespace:
            continue
        limits = {c["name"]: memory_limit_of(c) for c in pod["spec"].get("containers") or () if c.get("image") == image}
        for status in (pod.get("status") or {}).get("containerStatuses") or ():
            ends = [(status.get(field) or {}).get("terminated") or {} for field in ("state", "lastState")]
            if limits.get(status["name"]) and any(end.get("reason") == "OOMKilled" for end in ends):
                yield pod, limits[status["name"]]
