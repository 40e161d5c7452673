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
    _default(spec, "podReplacementPolicy", "TerminatingOrFailed" if spec.get("podFailurePolicy") is None else "Failed")
    default_patterns(spec)
    if spec.get("selector"):
        inherit_labels(job)


def default_patterns(spec: Object) -> None:
    """Of pod conditions that a failure policy asks for: also in templates of Jobs, which have no other defaults."""
    for rule in (spec.get("podFailurePolicy") or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            _default(pattern, "status", "True")


def inherit_labels(job: Object) -> None:
    """A Job without labels gets those of its pods: on creation once the selector is generated, later always."""
    template_labels = objects.labels_of(job["spec"]["template"])
    if template_labels and not objects.labels_of(job):
        job["metadata"]["labels"] = dict(template_labels)


def generate_selector(job: Object) -> None:
    """Label the pods with the Job's name and uid and select by the uid, unless ``manualSelector`` is set.

    What a user has written of these stays, and is refused where it is another Job's.
    """
    if job["spec"].get("manualSelector"):
        return
    metadata = job["spec"]["template"].setdefault("metadata", {})
    made = labels.generated(job)
    metadata["labels"] = {**made, **(metadata.get("labels") or {})}
    selector = job["spec"].get("selector") or {}
    by_uid = {labels.CONTROLLER_UID: made[labels.CONTROLLER_UID]}
    job["spec"]["selector"] = {**selector, "matchLabels": {**by_uid, **(selector.get("matchLabels") or {})}}


def _default(spec: Object, name: str, value: object) -> None:
    if spec.get(name) is None:
        spec[name] = value
