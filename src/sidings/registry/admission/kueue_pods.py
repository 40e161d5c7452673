"""``mpod.kb.io``: a pod that names a queue does not start before the queue lets it.

Pods that a job makes are the job's, even if they carry the label of a queue.
"""

from __future__ import annotations

from sidings.api.kueue import jobs, keys, pods
from sidings.api.objects import controller_of, labels_of
from sidings.api.platform.components import Component
from sidings.api.resources import PODS
from sidings.registry.admission import platform
from sidings.registry.admission.kueue_settings import KueueSettings
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request, denied

TOTAL_MISSING = "both the 'pod-group-total-count' annotation and the 'pod-group-name' label should be set"


class KueuePods(Plugin):
    def __init__(self, settings: KueueSettings) -> None:
        self._settings = settings

    def admit(self, request: Request, reader: Reader) -> None:
        if not request.concerns(PODS, Operation.CREATE) or not labels_of(request.new).get(keys.QUEUE_NAME):
            return
        owner = controller_of(request.new)
        if owner is not None and any(owner["kind"] == resource.kind for resource in jobs.WEBHOOKS):
            return
        is_on = platform.is_on(Component.KUEUE, reader)
        if is_on and self._settings.covers(PODS, request.namespace, reader):
            pods.hold(request.new)

    def validate(self, request: Request, reader: Reader) -> None:
        if not request.concerns(PODS, Operation.CREATE) or not pods.is_managed(request.new):
            return
        if bool(pods.group_of(request.new)) != (pods.total_of(request.new) is not None):
            raise denied("vpod.kb.io", f"metadata: Required value: {TOTAL_MISSING}")
