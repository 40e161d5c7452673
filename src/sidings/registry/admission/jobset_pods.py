"""JobSet's webhooks for pods: their priority as a label, and exclusive placement (pkg/webhooks/pod_*.go)."""

from __future__ import annotations

from sidings.api.jobset import exclusive_placement, labels
from sidings.api.objects import Object, labels_of
from sidings.api.resources import NODES, PODS
from sidings.api.status import NotFound
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request, denied

WEBHOOK = "vpod.kb.io"


class JobSetPods(Plugin):
    """Looks at the pods of JobSets only."""

    def admit(self, request: Request, reader: Reader) -> None:
        if not _concerns(request):
            return
        pod = request.new
        labels_of(pod)[labels.PRIORITY] = str(pod["spec"]["priority"])
        if not exclusive_placement.topology_key(pod):
            return
        if exclusive_placement.is_leader(pod):
            exclusive_placement.lead(pod)
        elif (node := _leaders_node(request, reader)) is not None:
            exclusive_placement.follow(pod, node)

    def validate(self, request: Request, reader: Reader) -> None:
        if not _concerns(request):
            return
        pod = request.new
        if not exclusive_placement.topology_key(pod) or exclusive_placement.is_leader(pod):
            return
        leaders = _leaders(request, reader)
        if complaint := exclusive_placement.complaint(pod, leaders):
            raise denied(WEBHOOK, complaint)


def _concerns(request: Request) -> bool:
    return request.concerns(PODS, Operation.CREATE) and labels.JOBSET_NAME in labels_of(request.new)


def _leaders(request: Request, reader: Reader) -> list[Object]:
    key = labels_of(request.new)[labels.JOB_KEY]
    same_job = reader.labelled(PODS, request.namespace, labels.JOB_KEY, key)
    return exclusive_placement.leaders_of(request.new, same_job)


def _leaders_node(request: Request, reader: Reader) -> Object | None:
    """The node of the follower's leader, once that is scheduled."""
    leaders = _leaders(request, reader)
    if len(leaders) != 1 or not leaders[0]["spec"].get("nodeName"):
        return None
    try:
        return reader.get(NODES, leaders[0]["spec"]["nodeName"])
    except NotFound:
        return None
