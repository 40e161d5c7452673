"""The job as a whole: pods that were refused, and ranks that wait for others."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.answers import codes
from sidings.answers.explanations import finding
from sidings.answers.family import Family, phase_of, short_name
from sidings.answers.finding import Finding, place_of
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import refusals
from sidings.api.objects import key_of, name_of, uid_of

_REFUSED = ("FailedCreate", "JobCreationFailed")
"""How reasons of events about pods and Jobs that the API refused begin: Job and Training Operator, JobSet."""


def find(family: Family, around: Surroundings) -> Iterator[Finding]:
    """What is missing of a job that is not suspended."""
    wanted = family.wanted_pods()
    present = len(family.living_pods()) + sum(phase_of(pod) == "Succeeded" for pod in family.pods)
    if wanted is not None and present < wanted:
        yield from _refused(family, around, wanted - present)
    running = [pod for pod in family.living_pods() if phase_of(pod) == "Running"]
    late = [pod for pod in family.living_pods() if phase_of(pod) == "Pending"]
    if running and late:
        names = ", ".join(short_name(pod) for pod in late[:5]) + (" and others" if len(late) > 5 else "")
        namespace = key_of(family.root).namespace
        yield finding(
            codes.RANKS_MISSING,
            place_of(family.root),
            f"{len(running)} of its pods run and wait for {len(late)} more: {names}",
            remedy=around.kubectl("describe", "pod", name_of(late[0]), "-n", namespace),
        )


def _refused(family: Family, around: Surroundings, missing: int) -> Iterator[Finding]:
    """The last refusal, where pods of the job are missing."""
    owners = {uid_of(member) for member in family.members if member not in family.pods}
    told = [
        event
        for event in family.events
        if str(event.get("reason")).startswith(_REFUSED) and event["involvedObject"].get("uid") in owners
    ]
    if not told:
        return
    event, key = told[-1], key_of(family.root)
    message = str(event.get("message") or "")
    shown = around.kubectl("get", family.kind.lower(), key.name, "-n", key.namespace, "-o", "yaml")
    yield finding(
        codes.PODS_REFUSED,
        f"{event['involvedObject']['kind']} {key.namespace}/{event['involvedObject']['name']}",
        f"{missing} of its pods cannot be created",
        cause=message,
        remedy=refusals.remedy(family, message, around) or shown,
    )
