"""The command that makes a job fit its nodes: smaller pods where one is larger than every node, else fewer of them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from sidings.answers.family import Family
from sidings.answers.resubmission import Revision, template_of
from sidings.answers.surroundings import Surroundings
from sidings.answers.why.remedies import resources_of
from sidings.api import pod_resources, quantity
from sidings.api.objects import Object
from sidings.api.training_operator import framework
from sidings.api.training_operator import words as operator_words


def smaller(root: Object, pod: Object, room: Mapping[str, Decimal], around: Surroundings) -> str:
    """Requests (and limits that equal them) cut to ``room``; empty where a resource is not there at all.

    Only for pods of one container: of several nobody knows which may be cut.
    """
    containers = pod["spec"].get("containers") or []
    if len(containers) != 1:
        return ""
    revision, container = Revision(root), containers[0]
    paths = revision.containers(pod, container["name"])
    resources = resources_of(container)
    for amounts in resources.values():
        for name, amount in amounts.items():
            there = room.get(name, Decimal(0))
            if quantity.parse(amount) > there:
                if not there:
                    return ""
                amounts[name] = pod_resources.text_of(name, there)
    if not paths or not resources:
        return ""
    for path in paths:
        revision.set_in_container(path, "resources", resources)
    return revision.command(around)


def fewer(family: Family, pods: int, around: Surroundings) -> str:
    """As many pods as fit; empty where the job has several parts, or not even one fits."""
    revision, root = Revision(family.root), family.root
    if pods < 1:
        return ""
    if of := framework.of_object(root):
        roles = dict(of.roles_of(root))
        workers = pods - sum(int(r.get("replicas") or 1) for name, r in roles.items() if name != operator_words.WORKER)
        if workers < 1 or operator_words.WORKER not in roles:
            return ""
        revision.set(("spec", of.replica_specs, operator_words.WORKER, "replicas"), workers)
    elif root["kind"] == "TrainJob":
        revision.set(("spec", "trainer", "numNodes"), pods)
    else:
        template = template_of(root, family.pods[0])
        if template is None or (family.job_set is not None and len(family.jobs) > 1):
            return ""
        job = template.path[:-1]
        for field in ("parallelism", "completions"):
            revision.set((*job, field), pods)
    return revision.command(around)
