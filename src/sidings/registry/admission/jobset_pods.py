"""JobSet's webhook for pods: their priority as a label (``pkg/webhooks/pod_mutating_webhook.go``, JobSet v0.12).

Its other half, the node selectors of exclusive placement, belongs to the scheduler's topology.
"""

from __future__ import annotations

from sidings.api.jobset import labels
from sidings.api.objects import labels_of
from sidings.api.resources import PODS
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request

PRIORITY = "jobset.sigs.k8s.io/priority"


class JobSetPods(Plugin):
    def admit(self, request: Request, reader: Reader) -> None:
        if not request.concerns(PODS, Operation.CREATE) or labels.JOBSET_NAME not in labels_of(request.new):
            return
        labels_of(request.new)[PRIORITY] = str(request.new["spec"]["priority"])
