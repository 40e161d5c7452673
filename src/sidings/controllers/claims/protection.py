"""A claim in use is not deleted under a pod: the finalizer ``kubernetes.io/pvc-protection``.

Admission puts it on every claim; this controller takes it off a claim that is being deleted as soon as no unfinished
pod mounts it (kube-controller-manager v1.36, ``pkg/controller/volume/pvcprotection``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.api.objects import Key, Object, is_deleting, namespace_of
from sidings.api.pod_phase import has_ended
from sidings.api.resources import CLAIMS, PODS, Resource
from sidings.api.status import NotFound
from sidings.controllers.runtime.controller import Controller, Mapper

FINALIZER = "kubernetes.io/pvc-protection"


def claims_of(pod: Object) -> Iterable[Key]:
    """The claims that ``pod`` mounts."""
    for volume in pod["spec"].get("volumes") or ():
        claim = volume.get("persistentVolumeClaim")
        if claim:
            yield Key(namespace_of(pod), claim["claimName"])


def in_use(claim: Key, pods: Iterable[Object]) -> bool:
    """Whether an unfinished pod that has a node mounts ``claim``; one without a node will fail to start instead."""
    return any(pod["spec"].get("nodeName") and not has_ended(pod) and claim in claims_of(pod) for pod in pods)


class ClaimProtection(Controller):
    """Lets go of deleted claims that nobody uses."""

    name = "pvc-protection-controller"
    resource = CLAIMS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {PODS: claims_of}

    async def reconcile(self, key: Key) -> float | None:
        try:
            claim = await self.client.get(CLAIMS, key.name, key.namespace)
        except NotFound:
            return None
        finalizers = claim["metadata"].get("finalizers") or []
        if not is_deleting(claim) or FINALIZER not in finalizers:
            return None
        if in_use(key, (await self.client.list(PODS, key.namespace)).items):
            return None
        body = {
            "metadata": {
                "resourceVersion": claim["metadata"]["resourceVersion"],
                "finalizers": [name for name in finalizers if name != FINALIZER] or None,
            }
        }
        await self.client.patch(CLAIMS, key.name, body, namespace=key.namespace, field_manager=self.name)
        return None
