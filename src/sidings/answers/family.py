"""A job and everything that was made for it.

Users speak of one job; the API holds a TrainJob, its JobSet, that one's Jobs, their pods. The owner references that the
controllers set tie them together, by uid, so that a re-created name never inherits the pods of its predecessor. A root
is a TrainJob, JobSet or Job that no other of these kinds made, or a job of the Training Operator, which makes its pods
itself. Grouping is pure; ``state`` and ``failure`` read the
result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sidings.api.job import labels as job_labels
from sidings.api.job.size import pods_at_once
from sidings.api.jobset import labels as jobset_labels
from sidings.api.objects import Object, controller_of, is_deleting, key_of, labels_of, uid_of
from sidings.api.resources import JOB_SETS, JOBS, TRAIN_JOBS, Resource
from sidings.api.trainer import words
from sidings.api.training_operator import defaults, framework
from sidings.api.training_operator import words as operator_words

TRAINING_JOBS: tuple[Resource, ...] = tuple(of.resource for of in framework.ALL)
"""The jobs of the Training Operator."""
ROOTS: tuple[Resource, ...] = (TRAIN_JOBS, *TRAINING_JOBS, JOB_SETS, JOBS)
"""The kinds that users start, outermost first."""

JOB_LABELS = (jobset_labels.JOBSET_NAME, operator_words.JOB_NAME, job_labels.JOB_NAME)
"""By which Jobs and pods name the job they belong to, the outermost first: a TrainJob has its JobSet's name."""
FINDINGS_COMPONENT = "sidings-findings"
"""Who reports events about findings; they are answers, so no answer is made of them."""
TERMINAL_PHASES = frozenset({"Succeeded", "Failed"})


@dataclass
class Family:
    """One root with its descendants; ``events`` are Warning events about any of them, oldest first."""

    root: Object
    job_set: Object | None = None
    jobs: list[Object] = field(default_factory=list)
    pods: list[Object] = field(default_factory=list)
    events: list[Object] = field(default_factory=list)
    workload: Object | None = None
    """What stands for the root in a queue, where one holds it."""

    @property
    def kind(self) -> str:
        return str(self.root["kind"])

    @property
    def members(self) -> list[Object]:
        """Every object of the family, the root first."""
        job_set = [self.job_set] if self.job_set is not None and self.job_set is not self.root else []
        jobs = [job for job in self.jobs if job is not self.root]
        return [self.root, *job_set, *jobs, *self.pods]

    def living_pods(self) -> list[Object]:
        """Pods that run or will run: neither finished nor being deleted."""
        return [pod for pod in self.unfinished_pods() if not is_deleting(pod)]

    def unfinished_pods(self) -> list[Object]:
        """Pods that have not ended, those that are being stopped included."""
        return [pod for pod in self.pods if phase_of(pod) not in TERMINAL_PHASES]

    def wanted_pods(self) -> int | None:
        """How many pods the whole job runs, all its parts together; None while only its TrainJob exists."""
        if of := framework.of_object(self.root):
            return sum(defaults.pods_of(of, role, replica) for role, replica in of.roles_of(self.root))
        if self.job_set is not None:
            parts = self.job_set["spec"].get("replicatedJobs") or ()
            return sum(int(part.get("replicas", 1)) * pods_at_once(part["template"]["spec"]) for part in parts)
        if self.jobs:
            return sum(pods_at_once(job["spec"]) for job in self.jobs)
        return None


def families(
    *,
    train_jobs: Iterable[Object] = (),
    training_jobs: Iterable[Object] = (),
    job_sets: Iterable[Object] = (),
    jobs: Iterable[Object] = (),
    pods: Iterable[Object] = (),
    events: Iterable[Object] = (),
    workloads: Iterable[Object] = (),
) -> list[Family]:
    """Group the objects of one or more namespaces into families, sorted by namespace, kind (outermost first), name."""
    by_uid: dict[str, Family] = {}
    for root in (*train_jobs, *training_jobs):
        by_uid[uid_of(root)] = Family(root)
    for job_set in job_sets:
        family = by_uid.get(_owner_uid(job_set)) or Family(job_set)
        family.job_set = job_set
        by_uid[uid_of(job_set)] = family
    for job in jobs:
        family = by_uid.get(_owner_uid(job)) or Family(job)
        family.jobs.append(job)
        by_uid[uid_of(job)] = family
    for pod in pods:
        if owner := by_uid.get(_owner_uid(pod)):
            owner.pods.append(pod)
            by_uid[uid_of(pod)] = owner
    for event in sorted(events, key=event_time):
        if event.get("reportingComponent") == FINDINGS_COMPONENT:
            continue
        if concerned := by_uid.get(str((event.get("involvedObject") or {}).get("uid"))):
            concerned.events.append(event)
    for workload in sorted(workloads, key=_created):
        holder = by_uid.get(_owner_uid(workload))
        if holder is not None and _owner_uid(workload) == uid_of(holder.root):
            holder.workload = workload
    unique = {id(family): family for family in by_uid.values()}
    for family in unique.values():
        family.pods.sort(key=pod_order)
    order = [resource.kind for resource in ROOTS]
    return sorted(unique.values(), key=lambda f: (key_of(f.root).namespace, order.index(f.kind), key_of(f.root).name))


def _owner_uid(obj: Object) -> str:
    owner = controller_of(obj)
    return str(owner["uid"]) if owner else ""


def _created(obj: Object) -> str:
    return str(obj["metadata"].get("creationTimestamp") or "")


def is_owned_by(obj: Object, owner: Object) -> bool:
    return _owner_uid(obj) == uid_of(owner)


def phase_of(pod: Object) -> str:
    return str((pod.get("status") or {}).get("phase") or "Pending")


def event_time(event: Object) -> str:
    """When an event last happened, as RFC 3339 text, in whichever field its recorder fills."""
    series = event.get("series") or {}
    return str(
        series.get("lastObservedTime")
        or event.get("lastTimestamp")
        or event.get("eventTime")
        or event["metadata"].get("creationTimestamp")
        or ""
    )


def completion_index(pod: Object) -> int | None:
    """The pod's index in its Job (torch's node rank), None for pods of Jobs that do not number them.

    For pods of the Training Operator the rank that it told them, else their index in their role.
    """
    metadata = pod["metadata"]
    if operator_words.REPLICA_INDEX in labels_of(pod):
        return _rank_told(pod)
    index = (metadata.get("annotations") or {}).get(
        job_labels.COMPLETION_INDEX, labels_of(pod).get(job_labels.COMPLETION_INDEX)
    )
    return None if index is None else int(index)


def _rank_told(pod: Object) -> int:
    env = [variable for container in pod["spec"]["containers"] for variable in container.get("env") or ()]
    told = [variable["value"] for variable in env if variable["name"] == "RANK" and variable.get("value")]
    text = told[-1] if told else labels_of(pod)[operator_words.REPLICA_INDEX]
    return int(text) if text.isdecimal() else 0


def pod_order(pod: Object) -> tuple[Any, ...]:
    """Sort key: part of the job, replica, rank, then age."""
    labels = labels_of(pod)
    index = completion_index(pod)
    return (
        labels.get(jobset_labels.REPLICATED_JOB_NAME, ""),
        int(labels.get(jobset_labels.JOB_INDEX, 0)),
        -1 if index is None else index,
        _created(pod),
        pod["metadata"]["name"],
    )


def short_name(pod: Object) -> str:
    """``training-0-1`` (part, replica, rank) for pods of a JobSet, the rank for pods of a Job, else the pod's name."""
    labels = labels_of(pod)
    if operator_words.REPLICA_INDEX in labels:
        return str(pod["metadata"]["name"])
    index = completion_index(pod)
    part = labels.get(jobset_labels.REPLICATED_JOB_NAME)
    if part is not None and index is not None:
        return f"{part}-{labels.get(jobset_labels.JOB_INDEX, '0')}-{index}"
    owner = controller_of(pod)
    if owner and index is not None:
        return f"{owner['name']}-{index}"
    return str(pod["metadata"]["name"])


def main_part(family: Family) -> str | None:
    """The replicated job whose pods carry the ranks a user means by ``--rank``; None where there are no parts.

    The trainer of a TrainJob, else the only part that the success policy names, else the last part declared.
    """
    if family.job_set is None:
        return None
    spec = family.job_set["spec"]
    parts = spec.get("replicatedJobs") or []
    for part in parts:
        if ((part["template"].get("metadata") or {}).get("labels") or {}).get(words.ANCESTOR_LABEL) == words.TRAINER:
            return str(part["name"])
    targets = (spec.get("successPolicy") or {}).get("targetReplicatedJobs") or []
    if len(targets) == 1:
        return str(targets[0])
    return str(parts[-1]["name"]) if parts else None
