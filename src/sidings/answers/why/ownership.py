"""Jobs that those who should care for them do not: a queue that does not manage them, a controller that is not here.

And fields of theirs that this cluster does not know: ``kubectl apply`` notes on the object what was sent, so what the
server dropped can be told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sidings.answers import codes, suspension
from sidings.answers.explanations import finding
from sidings.answers.family import Family
from sidings.answers.finding import Finding, place_of
from sidings.answers.resubmission import Revision
from sidings.answers.surroundings import Surroundings
from sidings.answers.why.admission import PATIENCE
from sidings.answers.why.quota import listed
from sidings.api import timestamps
from sidings.api.job import labels as job_labels
from sidings.api.jobset import labels as jobset_labels
from sidings.api.kueue import keys
from sidings.api.objects import Object, annotations_of, key_of, labels_of
from sidings.api.platform.kueue_configuration import MANAGED_LABEL
from sidings.api.trainer import words
from sidings.api.training_operator import framework
from sidings.api.training_operator import words as operator_words

APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
SHOWN = 5

_OWN_MANAGERS = frozenset(
    {
        job_labels.OWN_MANAGER,
        jobset_labels.OWN_MANAGER,
        words.BUILTIN_CONTROLLER,
        operator_words.OWN_MANAGER,
    }
)


def find(family: Family, workload: Object | None, around: Surroundings) -> Iterator[Finding]:
    age = around.now - timestamps.from_text(family.root["metadata"]["creationTimestamp"])
    if age >= PATIENCE:
        yield from _not_managed(family, workload, around)
        yield from _left_to_another(family, around)
    yield from _ignored(family, around)


def _not_managed(family: Family, workload: Object | None, around: Surroundings) -> Iterator[Finding]:
    """Runs, and the queue it names knows nothing of it. After its end its Workload may be gone."""
    local = labels_of(family.root).get(keys.QUEUE_NAME)
    is_unheld = workload is None and around.knows("Workload") and not suspension.is_suspended(family.root)
    if not local or not is_unheld or not family.living_pods():
        return
    key = key_of(family.root)
    again = Revision(family.root).command(around)
    namespace = around.find("Namespace", key.namespace)
    by_label = any(MANAGED_LABEL in labels_of(other) for other in around.of_kind("Namespace"))
    selector = around.configuration.management.namespaces
    if namespace is not None and by_label and labels_of(namespace).get(MANAGED_LABEL) != "true":
        cause = f'namespace "{key.namespace}" has no label {MANAGED_LABEL}=true'
        label = around.kubectl("label", "namespace", key.namespace, f"{MANAGED_LABEL}=true", "--overwrite")
        remedy = f"{label} && {again}"
    elif (wanted := (selector.get("matchLabels") or {})) and namespace is not None:
        lacking = [f"{k}={v}" for k, v in wanted.items() if labels_of(namespace).get(k) != v]
        cause = f"Kueue manages the namespaces with {json.dumps(wanted)}"
        label = around.kubectl("label", "namespace", key.namespace, *lacking, "--overwrite")
        remedy = f"{label} && {again}" if lacking else again
    else:
        cause, remedy = f"Kueue made no Workload of this {family.kind}", again
    what = f'it names LocalQueue "{local}" and runs beside it: there is no Workload of {family.kind} {key.name}'
    yield finding(codes.NOT_MANAGED, place_of(family.root), what, cause=cause, remedy=remedy)


def _left_to_another(family: Family, around: Surroundings) -> Iterator[Finding]:
    """``managedBy`` somebody of whom nothing is to be seen."""
    spec = family.root["spec"]
    is_framework = framework.of_object(family.root) is not None
    manager = ((spec.get("runPolicy") or {}) if is_framework else spec).get("managedBy")
    if not manager or manager in _OWN_MANAGERS or family.root.get("status") or len(family.members) > 1:
        return
    revision = Revision(family.root)
    revision.remove(("spec", "runPolicy", "managedBy") if is_framework else ("spec", "managedBy"))
    yield finding(
        codes.FOREIGN_MANAGER,
        place_of(family.root),
        f"it is left to {manager}, which has done nothing since {family.root['metadata']['creationTimestamp']}",
        cause=f"managedBy: {manager}",
        remedy=revision.command(around),
    )


def _ignored(family: Family, around: Surroundings) -> Iterator[Finding]:
    text = annotations_of(family.root).get(APPLIED)
    if not text:
        return
    try:
        sent = json.loads(text)
    except ValueError:
        return
    lost = list(_lost(sent.get("spec") or {}, family.root["spec"], "spec")) if isinstance(sent, dict) else []
    if not lost:
        return
    kind = family.kind.lower()
    yield finding(
        codes.FIELDS_IGNORED,
        place_of(family.root),
        f"this cluster does not know {listed(lost, SHOWN)} of the manifest",
        cause=f"{family.root['apiVersion']} {family.kind} as it is served here has no such field",
        remedy=around.kubectl("explain", f"{kind}.{lost[0].partition('[')[0]}".rpartition(".")[0]),
    )


def _lost(sent: Any, stored: Any, path: str) -> Iterator[str]:
    """Paths of fields that were sent with a value and are not there at all; one that was changed later is there."""
    if isinstance(sent, dict) and isinstance(stored, dict):
        for name, value in sent.items():
            if value in (None, {}, [], "", False, 0):
                continue
            if name not in stored:
                yield f"{path}.{name}"
            else:
                yield from _lost(value, stored[name], f"{path}.{name}")
    elif isinstance(sent, list) and isinstance(stored, list) and len(sent) == len(stored):
        for index, (left, right) in enumerate(zip(sent, stored, strict=True)):
            yield from _lost(left, right, f"{path}[{index}]")
