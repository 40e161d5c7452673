"""What one pod of a Job is at this moment: active, terminating, succeeded, failed.

The one rule with a catch is failure: unless the Job replaces only failed pods, a pod that is being deleted counts as
failed at once, because it may never reach the phase Failed (its node may be gone).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sidings.api import conditions, timestamps
from sidings.api.job import labels
from sidings.api.objects import Object, annotations_of, is_deleting
from sidings.api.pod_phase import has_ended


def phase_of(pod: Object) -> str:
    return str((pod.get("status") or {}).get("phase") or "Pending")


def has_succeeded(pod: Object) -> bool:
    return phase_of(pod) == "Succeeded"


def is_terminal(pod: Object) -> bool:
    return has_ended(pod)


def is_active(pod: Object) -> bool:
    """Pending or running, and not asked to stop."""
    return not is_terminal(pod) and not is_deleting(pod)


def is_terminating(pod: Object) -> bool:
    """Asked to stop, and not stopped yet."""
    return not is_terminal(pod) and is_deleting(pod)


def is_ready(pod: Object) -> bool:
    return conditions.is_true(pod, "Ready")


def is_tracked(pod: Object) -> bool:
    """Whether the Job has still to count how this pod ends."""
    return labels.TRACKING_FINALIZER in (pod["metadata"].get("finalizers") or ())


def replaces_only_failed(job: Object) -> bool:
    """Whether a pod being deleted still holds its place (``podReplacementPolicy: Failed``)."""
    spec: Object = job["spec"]
    return spec.get("podReplacementPolicy") == "Failed" or spec.get("podFailurePolicy") is not None


def has_failed(pod: Object, job: Object) -> bool:
    if phase_of(pod) == "Failed":
        return True
    # Deleting a Job takes its pods along; that is no failure of theirs, whoever of the two is seen first.
    return is_terminating(pod) and not replaces_only_failed(job) and not is_deleting(job)


def is_indexed(job: Object) -> bool:
    return bool(job["spec"].get("completionMode") == "Indexed")


def completion_index(pod: Object) -> int | None:
    """The index in the pod's annotation; None where there is none or no number."""
    text = annotations_of(pod).get(labels.COMPLETION_INDEX, "")
    return int(text) if text.isascii() and text.isdigit() else None


def index_in(pod: Object, job: Object) -> int | None:
    """The pod's index if the (Indexed) Job has such an index."""
    index = completion_index(pod)
    return index if index is not None and index < job["spec"]["completions"] else None


def counts_for(pod: Object, job: Object) -> bool:
    """Whether the end of ``pod`` is the Job's business: every pod, but for Indexed Jobs only with a valid index."""
    return not is_indexed(job) or index_in(pod, job) is not None


def container_statuses(pod: Object) -> list[Object]:
    """Of the main containers, then of the init containers."""
    status = pod.get("status") or {}
    return [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]


def restarts(pod: Object) -> int:
    """Restarts of all containers of ``pod``."""
    return sum(int(status.get("restartCount") or 0) for status in container_statuses(pod))


def finished_at(pod: Object) -> datetime:
    """When ``pod`` ended, as well as its object tells.

    In this order: the last container's end, the moment it ceased to be Ready, the moment of its deletion without the
    grace period, its creation.
    """
    ends = [
        ((status.get("state") or {}).get("terminated") or {}).get("finishedAt")
        for status in (pod.get("status") or {}).get("containerStatuses") or ()
    ]
    known = [end for end in ends if end]
    if known and len(known) == len(ends):
        return max(timestamps.from_text(end) for end in known)
    ready = conditions.find((pod.get("status") or {}).get("conditions"), "Ready")
    if ready is not None and ready.get("status") == "False" and ready.get("lastTransitionTime"):
        return timestamps.from_text(ready["lastTransitionTime"])
    metadata = pod["metadata"]
    if is_deleting(pod):
        grace = timedelta(seconds=int(metadata.get("deletionGracePeriodSeconds") or 0))
        return timestamps.from_text(metadata["deletionTimestamp"]) - grace
    return timestamps.from_text(metadata["creationTimestamp"])
