"""From what a user typed to a job with everything that belongs to it."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidings.answers.family import ROOTS, TRAINING_JOBS, Family, families
from sidings.api.job import labels as job_labels
from sidings.api.objects import Object, name_of, uid_of
from sidings.api.resources import EVENTS, JOB_SETS, JOBS, PODS, TRAIN_JOBS, WORKLOADS, Resource
from sidings.api.status import Forbidden, NotFound
from sidings.api.training_operator import words as operator_words
from sidings.cli.errors import JobNotFound, UsageError
from sidings.client.interface import Client

if TYPE_CHECKING:
    from sidings.host import surroundings

WORDS: dict[str, Resource] = {
    word: resource
    for resource, words in (
        (TRAIN_JOBS, ("trainjobs", "trainjob", "tj")),
        *((resource, (resource.plural, resource.kind.lower())) for resource in TRAINING_JOBS),
        (JOB_SETS, ("jobsets", "jobset", "js")),
        (JOBS, ("jobs", "job")),
    )
    for word in (*words, resource.group_resource, f"{words[1]}.{resource.group}")
}
"""What a user may call the kinds of jobs."""
POD_LABELS = (job_labels.JOB_NAME, operator_words.JOB_NAME)
"""Pods of jobs have one of these."""


class Listed(NamedTuple):
    """``workloads``: all of the namespace, whoever they belong to; None where the user may not see them."""

    families: list[Family]
    workloads: surroundings.Workloads | None


async def all_families(
    client: Client, namespace: str, *, outermost: Resource = TRAIN_JOBS, label_selector: str = ""
) -> list[Family]:
    """Every job of ``namespace`` (``""``: of all) with its descendants; ``label_selector`` picks roots.

    ``outermost`` JobSets or Jobs gives those as roots, whether a user made them or a TrainJob did.
    """
    return (await listed(client, namespace, outermost=outermost, label_selector=label_selector)).families


async def listed(
    client: Client, namespace: str, *, outermost: Resource = TRAIN_JOBS, label_selector: str = ""
) -> Listed:
    """As ``all_families``, with all that was read of Workloads."""
    kinds = ROOTS[ROOTS.index(outermost) :]
    roots, events, workloads = await asyncio.gather(
        asyncio.gather(*(_list(client, root, namespace) for root in kinds)),
        _list(client, EVENTS, namespace, field_selector="type=Warning"),
        _workloads(client, namespace),
    )
    read: dict[Resource, list[Object]] = {root: [] for root in ROOTS} | dict(zip(kinds, roots, strict=True))
    found = families(
        train_jobs=read[TRAIN_JOBS],
        training_jobs=[job for resource in TRAINING_JOBS for job in read[resource]],
        job_sets=read[JOB_SETS],
        jobs=read[JOBS],
        pods=await _pods(client, namespace, read[JOBS]),
        events=events,
        workloads=workloads.items if workloads else (),
    )
    if not label_selector:
        return Listed(found, workloads)
    chosen = {
        uid_of(obj) for root in ROOTS for obj in await _list(client, root, namespace, label_selector=label_selector)
    }
    return Listed([family for family in found if uid_of(family.root) in chosen], workloads)


def choose_their_pods(made: Iterable[Object]) -> bool:
    """Whether one of these Jobs has a selector of its own: its pods need not have the labels of a Job's."""
    return any(job["spec"].get("manualSelector") for job in made)


async def _pods(client: Client, namespace: str, made: Sequence[Object]) -> list[Object]:
    """Those of jobs, told by their labels: there may be thousands that are no job's."""
    if choose_their_pods(made):
        return await _list(client, PODS, namespace)
    lists = await asyncio.gather(*(_list(client, PODS, namespace, label_selector=label) for label in POD_LABELS))
    return list({uid_of(pod): pod for pods in lists for pod in pods}.values())


async def _list(
    client: Client, resource: Resource, namespace: str, *, label_selector: str = "", field_selector: str = ""
) -> list[Object]:
    """All objects; none where the cluster does not serve the kind, such as one without JobSet."""
    try:
        page = await client.list(resource, namespace, label_selector=label_selector, field_selector=field_selector)
    except NotFound:
        return []
    return page.items


async def _workloads(client: Client, namespace: str) -> surroundings.Workloads | None:
    """Who may not see Workloads sees their jobs suspended, as in a cluster without queues."""
    from sidings.host import kueue_versions, surroundings

    try:
        return surroundings.Workloads(namespace, *await kueue_versions.listed(client, WORKLOADS, namespace))
    except (Forbidden, NotFound):
        return None


def split_reference(words: list[str]) -> list[tuple[Resource | None, str]]:
    """``trainjob a b``, ``trainjob/a js/b`` or ``a b``, as kubectl reads them: pairs of kind (None: any) and name."""
    if len(words) > 1 and words[0].lower() in WORDS:
        return [(WORDS[words[0].lower()], name) for name in words[1:]]
    return [_one_reference(word) for word in words]


def _one_reference(word: str) -> tuple[Resource | None, str]:
    kind, slash, name = word.partition("/")
    if not slash:
        return None, word
    if kind.lower() not in WORDS:
        raise UsageError(
            f'"{kind}" is no kind of job',
            cause="jobs are TrainJobs, JobSets, Jobs and those of kubeflow.org; everything else is kubectl's",
            remedy=f"kubectl get {word}",
        )
    return WORDS[kind.lower()], name


async def find(client: Client, resource: Resource | None, name: str, namespace: str) -> Family:
    """The job called ``name``; of several kinds, the outermost (a TrainJob and its JobSet share their name)."""
    found = await all_families(client, namespace, outermost=resource or TRAIN_JOBS)
    for family in found:
        if name_of(family.root) == name and resource in (None, resource_of(family)):
            return family
    raise not_found(resource, name, namespace, [name_of(family.root) for family in found])


def not_found(resource: Resource | None, name: str, namespace: str, names: list[str]) -> JobNotFound:
    kind = resource.kind if resource else "job"
    near = difflib.get_close_matches(name, names, n=1)
    return JobNotFound(
        f'no {kind} "{name}" in namespace "{namespace}"',
        cause=f"jobs there: {', '.join(names)}" if names else "there are no jobs in it",
        remedy=f'did you mean "{near[0]}"?' if near else "sidings get -A",
    )


def resource_of(family: Family) -> Resource:
    return next(resource for resource in ROOTS if resource.kind == family.kind)


def title_of(family: Family) -> str:
    """``TrainJob "granite"``."""
    return f'{family.kind} "{name_of(family.root)}"'
