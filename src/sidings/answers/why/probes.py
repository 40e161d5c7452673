"""Containers whose probes fail: not ready for long, or killed by their liveness or startup probe again and again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from sidings.answers import codes
from sidings.answers.explanations import finding
from sidings.answers.family import Family, short_name
from sidings.answers.finding import Finding, place_of
from sidings.answers.resubmission import TRAINER, Revision
from sidings.answers.surroundings import Surroundings
from sidings.api import timestamps
from sidings.api.objects import Object, key_of, uid_of

PATIENCE = timedelta(seconds=60)
"""How long a container may take to become ready before that is worth a word."""
KILLS = 2
"""So many lives ended by a probe are no accident."""

_FAILED = re.compile(r"^(?P<kind>Readiness|Liveness|Startup) probe (?:failed|errored)")


def find(family: Family, around: Surroundings) -> Iterator[Finding]:
    """The first container with a probe that fails, of the pods that live."""
    for pod in family.living_pods():
        for status in (pod.get("status") or {}).get("containerStatuses") or ():
            if (told := _complaint(family, pod, status, around)) is not None:
                yield _of_probe(family, pod, status["name"], told, around)
                return


def _complaint(family: Family, pod: Object, status: Object, around: Surroundings) -> re.Match[str] | None:
    """The last event about a probe that explains the container's state."""
    running = (status.get("state") or {}).get("running") or {}
    started = str(running.get("startedAt") or "")
    is_late = bool(started) and not status.get("ready") and around.now - timestamps.from_text(started) > PATIENCE
    for event in reversed(family.events):
        found = _FAILED.match(str(event.get("message") or ""))
        if not found or event["involvedObject"].get("uid") != uid_of(pod):
            continue
        if is_late if found["kind"] == "Readiness" else int(status.get("restartCount") or 0) >= KILLS:
            return found
    return None


def _of_probe(family: Family, pod: Object, container: str, told: re.Match[str], around: Surroundings) -> Finding:
    kind = told["kind"].lower()
    field = f"{kind}Probe"
    key = key_of(pod)
    remedy = around.kubectl("describe", "pod", key.name, "-n", key.namespace)
    revision = Revision(family.root)
    path = revision.container(pod, container)
    spec: Object = next((each for each in pod["spec"]["containers"] if each["name"] == container), {})
    if path is not None and path != TRAINER and field in spec:
        revision.remove((*path, field))
        remedy = revision.command(around)
    what = f'the {kind} probe of container "{container}" of {short_name(pod)} fails'
    return finding(codes.PROBE_FAILS, place_of({"kind": "Pod", **pod}), what, cause=told.string, remedy=remedy)
