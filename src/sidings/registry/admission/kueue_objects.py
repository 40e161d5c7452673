"""The validating webhooks of Kueue's own kinds: ``vclusterqueue.kb.io``, ``vcohort.kb.io``, ``vworkload.kb.io``."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api.fields import FieldError
from sidings.api.kueue import cluster_queue, workload
from sidings.api.resources import CLUSTER_QUEUES, COHORTS, WORKLOADS
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request, denied
from sidings.registry.admission.trainjob import aggregate

_WRITES = (Operation.CREATE, Operation.UPDATE)


class KueueObjects(Plugin):
    """Refuses what the schema lets pass."""

    def validate(self, request: Request, reader: Reader) -> None:
        if request.concerns(CLUSTER_QUEUES, *_WRITES):
            _refuse("vclusterqueue.kb.io", cluster_queue.cluster_queue_errors(request.new))
        elif request.concerns(COHORTS, *_WRITES):
            _refuse("vcohort.kb.io", cluster_queue.cohort_errors(request.new))
        elif request.concerns(WORKLOADS, *_WRITES) or request.concerns(WORKLOADS, *_WRITES, subresource="status"):
            _refuse("vworkload.kb.io", _of_workload(request))


def _of_workload(request: Request) -> Iterator[FieldError]:
    yield from workload.errors(request.new)
    if request.old is not None:
        yield from workload.update_errors(request.new, request.old)


def _refuse(webhook: str, errors: Iterator[FieldError]) -> None:
    if found := list(errors):
        raise denied(webhook, aggregate(found))
