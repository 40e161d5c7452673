"""What a Job becomes when it is stored: defaults, the generated selector, and the labels of its pods.

``pkg/apis/batch/v1/defaults.go`` and ``pkg/registry/batch/job/strategy.go`` (Kubernetes 1.36).
"""

from __future__ import annotations

from sidings.api import objects
from sidings.api.job import labels
from sidings.api.objects import Object

MAX_INT32 = 2**31 - 1


def apply(job: Object) -> None:
    """Fill in everything but the pod spec; changes ``job``. Running it again changes nothing."""
    spec = job.setdefault("spec", {})
    spec.setdefault("template", {})
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    _default(spec, "parallelism", 1)
    _default(spec, "completionMode", "NonIndexed")
    _default(spec, "backoffLimit", 6 if spec.get("backoffLimitPerIndex") is None else MAX_INT32)
    _default(spec, "suspend", False)
    _default(spec, "manualSelector", False)
    _default(spec, "podReplacementPolicy", "Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed")
    for rule in (spec.get("podFailurePolicy") or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            _default(pattern, "status", "True")
    if spec.get("selector"):
        inherit_labels(job)


def inherit_labels(job: Object) -> None:
    """A Job without labels gets those of its pods: on creation once the selector is generated, later always."""
    template_labels = objects.labels_of(job["spec"]["template"])
    if template_labels and not objects.labels_of(job):
        job["metadata"]["labels"] = dict(template_labels)


def generate_selector(job: Object) -> None:
    """Label the pods with the Job's name and uid and select by the uid, unless ``manualSelector`` is set."""
    if job["spec"].get("manualSelector"):
        return
    metadata = job["spec"]["template"].setdefault("metadata", {})
    # A Job without a name is refused for it only later.
    name, uid = job["metadata"].get("name") or "", objects.uid_of(job)
    metadata["labels"] = {
        **(metadata.get("labels") or {}),
        labels.LEGACY_JOB_NAME: name,
        labels.LEGACY_CONTROLLER_UID: uid,
        labels.JOB_NAME: name,
        labels.CONTROLLER_UID: uid,
    }
    selector = job["spec"].setdefault("selector", {})
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), labels.CONTROLLER_UID: uid}


def _default(spec: Object, name: str, value: object) -> None:
    if spec.get(name) is None:
        spec[name] = value
