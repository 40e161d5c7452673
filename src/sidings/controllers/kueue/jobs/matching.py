"""Whether a Workload is that of a job as it is now (pkg/util/equality/podset.go, Kueue v0.19).

Of a template only what costs resources counts: containers, and tolerations while nothing has been added to them.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidings.api.kueue import keys
from sidings.api.objects import Object, labels_of
from sidings.controllers.kueue import workload_status


def matches(workload: Object, job: Object, pod_sets: Sequence[Object], *, running: bool) -> bool:
    """``pod_sets`` are those that ``job`` has now; a running one may have been admitted with fewer pods."""
    if workload["spec"].get("maximumExecutionTimeSeconds") != execution_limit(job):
        return False
    known = workload["spec"]["podSets"]
    if len(known) != len(pod_sets):
        return False
    admitted = workload_status.is_admitted(workload)
    counts = _admitted_counts(workload) if running else {}
    return all(
        _same_pod_set(one, other, counts, ignore_tolerations=admitted or running)
        for one, other in zip(known, pod_sets, strict=True)
    )


def execution_limit(job: Object) -> int | None:
    """Seconds that the job may run, from its label."""
    text = labels_of(job).get(keys.MAX_EXECUTION_SECONDS, "")
    return int(text) if text.isdigit() and int(text) > 0 else None


def _admitted_counts(workload: Object) -> dict[str, int]:
    """By pod set. Only where fewer pods will do is a job changed to the admitted count; elsewhere that count may be
    lower too, since pods that were done by then asked for nothing, but the job keeps its own."""
    admission = (workload.get("status") or {}).get("admission") or {}
    partial = {known["name"] for known in workload["spec"]["podSets"] if known.get("minCount") is not None}
    assigned = admission.get("podSetAssignments") or ()
    return {entry["name"]: entry["count"] for entry in assigned if entry["name"] in partial}


def _same_pod_set(known: Object, now: Object, counts: dict[str, int], *, ignore_tolerations: bool) -> bool:
    if known["name"] != now["name"] or counts.get(known["name"], known["count"]) != now["count"]:
        return False
    one, other = known["template"].get("spec") or {}, now["template"].get("spec") or {}
    fields = ["initContainers", "containers", *(() if ignore_tolerations else ("tolerations",))]
    return all((one.get(field) or []) == (other.get(field) or []) for field in fields)
