"""Kueue's webhooks for jobs: one that names a queue begins suspended, and keeps what it was admitted with."""

from __future__ import annotations

from sidings.api.kueue import jobs, keys
from sidings.api.objects import Object, controller_of, labels_of
from sidings.api.platform.components import Component
from sidings.api.resources import CRDS, LOCAL_QUEUES, Resource
from sidings.api.status import NotFound
from sidings.registry.admission import platform
from sidings.registry.admission.kueue_settings import KueueSettings
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request, denied
from sidings.registry.admission.trainjob import aggregate

DEEPEST = 10
"""How many owners up a job that is managed itself is looked for."""


class KueueJobs(Plugin):
    """``m<kind>.kb.io`` and ``v<kind>.kb.io``."""

    def __init__(self, settings: KueueSettings) -> None:
        self._settings = settings

    def admit(self, request: Request, reader: Reader) -> None:
        resource = request.kind.resource
        if resource not in jobs.WEBHOOKS or request.subresource or request.operation is not Operation.CREATE:
            return
        job, namespace = request.new, request.namespace
        if not self._covers(resource, namespace, reader) or self._inside_managed(job, namespace, reader):
            return
        labels = labels_of(job)
        if not labels.get(keys.QUEUE_NAME) and _has_default_queue(reader, namespace):
            job["metadata"].setdefault("labels", {})[keys.QUEUE_NAME] = keys.DEFAULT_LOCAL_QUEUE
            labels = labels_of(job)
        if labels.get(keys.QUEUE_NAME) or self._settings.management(reader).without_queue_name:
            jobs.hold(resource, job)

    def validate(self, request: Request, reader: Reader) -> None:
        resource = request.kind.resource
        if resource not in jobs.WEBHOOKS or request.subresource or request.operation is Operation.DELETE:
            return
        if not self._covers(resource, request.namespace, reader):
            return
        found = list(jobs.errors(resource, request.new))
        if request.old is not None:
            has_default = _has_default_queue(reader, request.namespace)
            found += jobs.update_errors(resource, request.new, request.old, has_default=has_default)
        if found:
            raise denied(f"v{jobs.WEBHOOKS[resource]}.kb.io", aggregate(found))

    def _covers(self, resource: Resource, namespace: str, reader: Reader) -> bool:
        return platform.is_on(Component.KUEUE, reader) and self._settings.covers(resource, namespace, reader)

    def _inside_managed(self, job: Object, namespace: str, reader: Reader) -> bool:
        """Whether a job above this one is held by a queue; then it decides."""
        current = job
        for _ in range(DEEPEST):
            owner = controller_of(current)
            resource = self._resource_of(owner, reader) if owner else None
            if owner is None or resource is None:
                return False
            try:
                current = reader.get(resource, owner["name"], namespace)
            except NotFound:
                return False
            if current["metadata"]["uid"] != owner["uid"]:
                return False
            if labels_of(current).get(keys.QUEUE_NAME) or self._settings.management(reader).without_queue_name:
                return True
        return False

    def _resource_of(self, owner: Object, reader: Reader) -> Resource | None:
        """Of an owner that the queue may hold, or that an external framework queues."""
        known = self._settings.management(reader).frameworks
        group = owner["apiVersion"].rpartition("/")[0]
        found = next((r for r in jobs.WEBHOOKS if r.group == group and r.kind == owner["kind"]), None)
        if found is not None:
            return found if known.hold(found) else None
        return known.external_owner(owner, reader.list(CRDS)) if known.external else None


def _has_default_queue(reader: Reader, namespace: str) -> bool:
    try:
        reader.get(LOCAL_QUEUES, keys.DEFAULT_LOCAL_QUEUE, namespace)
    except NotFound:
        return False
    return True
