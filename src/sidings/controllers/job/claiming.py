"""Which pods are a Job's own: those that it controls, and orphans that its selector matches, which it adopts.

Almost every Job has a generated selector on its own uid, which no other pod carries; adoption matters for
``manualSelector`` and for pods whose owner reference a user removed. Thousands of pods may have no owner at all, so
candidates are looked up by the label that the selector pins, instead of asking the selector about every orphan.
"""

from __future__ import annotations

from collections.abc import Iterable

from sidings.api import names, objects
from sidings.api.job import labels
from sidings.api.objects import Key, Object
from sidings.api.resources import PODS
from sidings.api.selectors import LabelSelector
from sidings.client.interface import Client, PatchType

FIELD_MANAGER = "job-controller"


def owned(job: Object, named: Iterable[Object]) -> list[Object]:
    """Those pods of the ones that name it as owner which the Job controls; a namesake that is gone does not count."""
    uid = objects.uid_of(job)
    return [pod for pod in named if (objects.controller_of(pod) or {}).get("uid") == uid]


async def orphans(client: Client, key: Key, job: Object | None) -> list[Object]:
    """Pods without controller that ``job`` may adopt or that a Job named ``key`` has left behind."""
    wanted = [(labels.JOB_NAME, key.name)]
    if job is not None and (selector := job["spec"].get("selector")) is not None:
        pinned = LabelSelector.from_object(selector).exact()
        if pinned is None:
            return list(await client.dependents(PODS, key.namespace))
        wanted.append(pinned)
    found: dict[str, Object] = {}
    for label, value in wanted:
        # A pod may name an owner that no label can.
        if not names.label_value(value):
            for pod in (await client.list(PODS, key.namespace, label_selector=f"{label}={value}")).items:
                found[objects.name_of(pod)] = pod
    return [pod for pod in found.values() if objects.controller_of(pod) is None]


def adoptable(job: Object, orphans: Iterable[Object]) -> list[Object]:
    """The living ``orphans`` that the Job's selector matches; none for a Job that is being deleted."""
    if objects.is_deleting(job):
        return []
    selector = LabelSelector.from_object(job["spec"].get("selector"))
    return [pod for pod in orphans if not objects.is_deleting(pod) and selector.matches(objects.labels_of(pod))]


async def adopt(client: Client, job: Object, pod: Object) -> Object:
    """Make ``job`` the controller of ``pod`` and track it; returns the pod as it then is."""
    metadata = pod["metadata"]
    finalizers = metadata.get("finalizers") or []
    tracked = finalizers if labels.TRACKING_FINALIZER in finalizers else [*finalizers, labels.TRACKING_FINALIZER]
    body = {
        "metadata": {
            "uid": objects.uid_of(pod),
            "ownerReferences": [*(metadata.get("ownerReferences") or ()), objects.controller_ref(job)],
            "finalizers": tracked,
        }
    }
    return await client.patch(
        PODS,
        objects.name_of(pod),
        body,
        namespace=objects.namespace_of(pod),
        patch_type=PatchType.MERGE,
        field_manager=FIELD_MANAGER,
    )
