"""A TrainJob whose pods could not be named is refused.

Names grow on the way down: ``<job>-<replicatedJob>-<replica>-<pod>-<random>`` has to be a DNS label. Upstream finds out
when it creates the JobSet, and the TrainJob waits for ever with an event (kubeflow/trainer#2735).
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import fields
from sidings.api.fields import FieldError
from sidings.api.objects import Object, name_of
from sidings.api.trainer import runtimes, words
from sidings.api.trainer.rules.request import Request

LONGEST = 63
_RANDOM_SUFFIX = "abcde"
FIELD = "metadata.name"


def check(request: Request) -> Iterator[FieldError]:
    if request.old is not None:
        return
    name = name_of(request.job)
    for replicated_job in runtimes.replicated_jobs(request.template):
        pod = _longest_pod(request, name, replicated_job)
        if len(pod) > LONGEST:
            most = len(name) - (len(pod) - LONGEST)
            detail = f"its pods would be called {pod}, {len(pod)} characters where {LONGEST} may be; use at most {most}"
            yield fields.invalid(FIELD, name, detail)
            return


def _longest_pod(request: Request, name: str, replicated_job: Object) -> str:
    trains = runtimes.ancestor_of(replicated_job) == words.TRAINER or replicated_job.get("name") == words.NODE
    counts = [request.trainer.get("numNodes"), request.policy.get("numNodes")] if trains else []
    counts.append((replicated_job["template"].get("spec") or {}).get("parallelism"))
    pods = next((int(count) for count in counts if count is not None), 1)
    known = runtimes.ancestor_of(replicated_job) in words.CONTAINER_OF_ANCESTOR
    replicas = 1 if known else int(replicated_job.get("replicas", 1))
    return pod_name(name, str(replicated_job.get("name")), replicas, pods)


def pod_name(job_name: str, replicated_job: str, replicas: int, pods: int) -> str:
    """The name of the last pod of a replicatedJob, which is the longest."""
    return f"{job_name}-{replicated_job}-{max(replicas - 1, 0)}-{max(pods - 1, 0)}-{_RANDOM_SUFFIX}"
