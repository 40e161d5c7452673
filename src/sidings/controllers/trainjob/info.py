"""A runtime with one TrainJob's overrides in it: what the plug-ins work on.

Everything in here is a private copy; plug-ins change it in place, ``job_set`` turns it into the JobSet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sidings.api.objects import Object
from sidings.api.trainer import runtimes, words
from sidings.api.trainer.encoding import encoded_resources, encoded_template
from sidings.api.trainer.overrides import merged_template


@dataclass
class PodSet:
    """The pods of one replicatedJob and how many there will be."""

    replicated_job: Object
    count: int

    @property
    def name(self) -> str:
        return str(self.replicated_job["name"])

    @property
    def ancestor(self) -> str:
        return runtimes.ancestor_of(self.replicated_job)

    @property
    def pod_spec(self) -> Object:
        return runtimes.pod_spec_of(self.replicated_job)

    def container(self, name: str) -> Object | None:
        return runtimes.named(runtimes.containers_of(self.replicated_job), name)

    def any_container(self, name: str) -> Object | None:
        """A container, or an init container where there is none of that name."""
        return self.container(name) or runtimes.named(runtimes.init_containers_of(self.replicated_job), name)


@dataclass
class RuntimeInfo:
    """The JobSet in the making. ``policy`` is None where the runtime has no mlPolicy at all."""

    job: Object
    runtime: Object
    policy: Object | None
    template: Object
    pod_sets: list[PodSet]

    @property
    def trainer(self) -> Object | None:
        """``spec.trainer``. Where it is left out upstream gives no env and no port, so that each node trains alone
        (kubeflow/trainer#4076); the plug-ins here take it for empty."""
        trainer: Object | None = self.job["spec"].get("trainer")
        return trainer

    @property
    def job_name(self) -> str:
        return str(self.job["metadata"]["name"])

    def pod_set(self, name: str) -> PodSet | None:
        return next((pod_set for pod_set in self.pod_sets if pod_set.name == name), None)

    def training(self) -> Iterator[PodSet]:
        """The pod sets whose ancestor is ``trainer``; the API allows more than one, runtimes have one."""
        return (pod_set for pod_set in self.pod_sets if pod_set.ancestor == words.TRAINER)


def runtime_info(job: Object, runtime: Object) -> RuntimeInfo:
    """Patches, resources and pod counts merged; the plug-ins have not run yet."""
    policy = runtimes.ml_policy(runtime)
    template = encoded_template(merged_template(job, runtime))
    pod_sets = [PodSet(item, _count(item, policy)) for item in runtimes.replicated_jobs(template)]
    info = RuntimeInfo(job, runtime, policy, template, pod_sets)
    _merge_resources(info)
    return info


def _count(replicated_job: Object, policy: Object | None) -> int:
    """Pods of one replicatedJob before the ML policy: the runtime's nodes for the trainer, else its parallelism."""
    if policy is not None and runtimes.ancestor_of(replicated_job) == words.TRAINER:
        count = policy.get("numNodes")
    else:
        count = replicated_job["template"]["spec"].get("parallelism")
    return max(1 if count is None else count, 1)


def _merge_resources(info: RuntimeInfo) -> None:
    """``trainer.resourcesPerNode`` over the node container's own, key by key; ignored where there is no mlPolicy."""
    given = (info.trainer or {}).get("resourcesPerNode") or {}
    if not given or info.policy is None:
        return
    launcher_is_node = (info.policy.get("mpi") or {}).get("runLauncherAsNode")
    for pod_set in info.pod_sets:
        if pod_set.ancestor != words.TRAINER and not (launcher_is_node and pod_set.name == words.NODE):
            continue
        node = pod_set.container(words.NODE)
        if node is not None:
            merged = {
                field: {**(node["resources"].get(field) or {}), **(given.get(field) or {})}
                for field in ("limits", "requests")
            }
            node["resources"] = encoded_resources({**node["resources"], **merged})
