"""``podGroupPolicy.volcano``: a queue that is named has a name, and priority classes exist."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import fields
from sidings.api.fields import FieldError
from sidings.api.resources import PRIORITY_CLASSES
from sidings.api.trainer import runtimes, words
from sidings.api.trainer.rules.request import Request

ALWAYS_THERE = ("system-cluster-critical", "system-node-critical")
"""Upstream stops looking at the first of these, whatever comes after it."""


def check(request: Request) -> Iterator[FieldError]:
    policy = (request.runtime.get("spec") or {}).get("podGroupPolicy") or {}
    if policy.get("volcano") is None:
        return
    annotations = (request.template.get("metadata") or {}).get("annotations") or {}
    if annotations.get(words.VOLCANO_QUEUE) == "":
        path = f"spec.annotations[{words.VOLCANO_QUEUE}]"
        yield fields.invalid(path, "", "Volcano queue name must not be empty")
    for replicated_job in runtimes.replicated_jobs(request.template):
        name = runtimes.pod_spec_of(replicated_job).get("priorityClassName") or ""
        if name in ALWAYS_THERE:
            return
        if name and name not in request.priority_classes:
            missing = f'{PRIORITY_CLASSES.group_resource} "{name}" not found'
            detail = f'PriorityClass "{name}" doesn\'t exist: {missing}'
            yield fields.invalid("spec.templateSpec.priorityClassName", name, detail)
