"""Which kinds of jobs the queue holds: ``integrations`` of Kueue's configuration, by Kueue's names (v0.19).

A kind that is not listed is not managed: its jobs run at once, whatever queue they name. External frameworks are kinds
that somebody else's controller queues; what their objects make is theirs, as the Jobs of a JobSet are the JobSet's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sidings.api.objects import Object
from sidings.api.resources import Resource

POD = "pod"
NAMES = frozenset(
    {
        "batch/job",
        "deployment",
        "jobset.x-k8s.io/jobset",
        "kubeflow.org/jaxjob",
        "kubeflow.org/mpijob",
        "kubeflow.org/paddlejob",
        "kubeflow.org/pytorchjob",
        "kubeflow.org/tfjob",
        "kubeflow.org/xgboostjob",
        "leaderworkerset.x-k8s.io/leaderworkerset",
        POD,
        "ray.io/raycluster",
        "ray.io/rayjob",
        "ray.io/rayservice",
        "sparkoperator.k8s.io/sparkapplication",
        "statefulset",
        "trainer.kubeflow.org/trainjob",
        "workload.codeflare.dev/appwrapper",
    }
)
"""All that upstream knows, also where no such kind is served here."""


class External(NamedTuple):
    """One of ``externalFrameworks``. The operator of the Red Hat build asks for the plural in place of the kind."""

    kind: str
    version: str
    group: str


@dataclass(frozen=True)
class Frameworks:
    """``enabled``: all where the configuration has no list."""

    enabled: frozenset[str] = NAMES
    external: frozenset[External] = frozenset()

    def hold(self, resource: Resource) -> bool:
        """Whether jobs of this kind are held."""
        return name_of(resource) in self.enabled

    def external_owner(self, owner: Object, definitions: Iterable[Object]) -> Resource | None:
        """The resource that ``owner``, an owner reference, means, if it is an external framework's.

        ``definitions`` are the CustomResourceDefinitions there are.
        """
        group, _, version = owner["apiVersion"].rpartition("/")
        named = {each.kind for each in self.external if each.group == group}
        for definition in definitions if named else ():
            spec, kind = definition["spec"], definition["spec"]["names"]["kind"]
            if (spec["group"], kind) == (group, owner["kind"]) and named & {kind, spec["names"]["plural"]}:
                return Resource(group, version, spec["names"]["plural"], kind, spec["scope"] == "Namespaced")
        return None


def name_of(resource: Resource) -> str:
    """``batch/job``: what the configuration calls a kind of jobs, and what events of its controller begin with."""
    singular = resource.kind.lower()
    return f"{resource.group}/{singular}" if resource.group else singular


def external(text: str) -> External:
    """``Kind.version.group``. Raises ValueError for anything else."""
    kind, _, rest = text.partition(".")
    version, _, group = rest.partition(".")
    if not (kind and version and group):
        raise ValueError(f"{text!r} must have the form Kind.version.group")
    return External(kind, version, group)
