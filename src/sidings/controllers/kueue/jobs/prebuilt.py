"""A Workload that was there before its job, which names it: the job takes it over as it is, or does without any.

Label or annotation ``kueue.x-k8s.io/prebuilt-workload-name`` (pkg/controller/jobframework/reconciler.go, Kueue v0.19).
"""

from __future__ import annotations

from datetime import datetime

from sidings.api.kueue import keys
from sidings.api.objects import Object, annotations_of, controller_of, controller_ref, copy_of, labels_of, uid_of
from sidings.api.resources import WORKLOADS
from sidings.controllers.kueue import words, workload_status
from sidings.controllers.runtime.plan import Plan, Update

MISSING = "missing workload"
OUT_OF_SYNC_MESSAGE = "The prebuilt workload is out of sync with its user job"


def name_of(job: Object) -> str:
    """The Workload that ``job`` names, empty if none; an annotation counts before the label."""
    return annotations_of(job).get(keys.PREBUILT_WORKLOAD) or labels_of(job).get(keys.PREBUILT_WORKLOAD, "")


def is_another_s(workload: Object, job: Object) -> bool:
    """Whether something else than ``job`` controls it."""
    owner = controller_of(workload)
    return owner is not None and owner["uid"] != uid_of(job)


def adoption(workload: Object, job: Object) -> Plan | None:
    """``job`` (with kind and version) becomes the controller of ``workload``; None if it is already."""
    if controller_of(workload) is not None:
        return None
    changed = copy_of(workload)
    changed["metadata"].setdefault("ownerReferences", []).append(controller_ref(job))
    return Plan(updates=[Update(WORKLOADS, changed)])


def out_of_sync(workload: Object, now: datetime) -> Plan:
    """It asks for something else than its job is: neither of them changes for the other, so it is over."""
    changed = copy_of(workload)
    workload_status.finish(changed, words.OUT_OF_SYNC, OUT_OF_SYNC_MESSAGE, now)
    return Plan(status=Update(WORKLOADS, changed, "status"))
