"""Binding: a new claim gets its volume, a volume goes with its claim.

Any storageClassName is served by the same directory provisioner, so that manifests written for a cluster's classes
run; a claim for block devices is refused with an event, since no directory can serve it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import ClassVar

from sidings.api.objects import Key, Object, copy_of, is_deleting, uid_of
from sidings.api.resources import CLAIMS, VOLUMES, Resource
from sidings.api.status import AlreadyExists, NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.claims.volume import BIND_COMPLETED, BOUND_BY_CONTROLLER, PROVISIONER, name_for, volume_for
from sidings.controllers.runtime.controller import Controller, Mapper
from sidings.controllers.runtime.events import Recorder
from sidings.controllers.runtime.plan import EventNote

PROVISIONED_BY_CLAIM = "volume.kubernetes.io/storage-provisioner"
PROVISIONING_FAILED = "ProvisioningFailed"
PROVISIONING_SUCCEEDED = "ProvisioningSucceeded"


def _claim_of(volume: Object) -> Iterable[Key]:
    reference = volume["spec"].get("claimRef")
    return (Key(reference["namespace"], reference["name"]),) if reference else ()


class Binder(Controller):
    """Provisions and binds one volume per claim."""

    name = "persistentvolume-controller"
    resource = CLAIMS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {VOLUMES: _claim_of}

    def __init__(self, client: Client, clock: Clock, rng: random.Random, root: PurePath) -> None:
        """``root`` is the directory under which the node agent keeps claims."""
        super().__init__(client, clock, rng)
        self._root = root
        self._recorder = Recorder(client, clock, self.name)

    async def reconcile(self, key: Key) -> float | None:
        claim = await self._claim(key)
        if claim is None or is_deleting(claim):
            await self._release(key, claim)
        elif claim["spec"].get("volumeMode") == "Block":
            message = f"{PROVISIONER} makes directories; volumeMode Block is not possible here"
            await self._recorder.record(EventNote(claim, "Warning", PROVISIONING_FAILED, message))
        elif (claim.get("status") or {}).get("phase") != "Bound":
            await self._bind(claim)
        return None

    async def _claim(self, key: Key) -> Object | None:
        try:
            return await self.client.get(CLAIMS, key.name, key.namespace)
        except NotFound:
            return None

    async def _bind(self, claim: Object) -> None:
        volume = volume_for(claim, self._root)
        try:
            await self.client.create(VOLUMES, volume, field_manager=self.name)
            message = f"Successfully provisioned volume {name_for(claim)}"
            await self._recorder.record(EventNote(claim, "Normal", PROVISIONING_SUCCEEDED, message))
        except AlreadyExists:
            pass  # made before a crash; binding goes on from here
        bound = copy_of(claim)
        annotations = bound["metadata"].setdefault("annotations", {})
        annotations |= {BIND_COMPLETED: "yes", BOUND_BY_CONTROLLER: "yes", PROVISIONED_BY_CLAIM: PROVISIONER}
        bound["spec"]["volumeName"] = name_for(claim)
        bound = copy_of(await self.client.update(CLAIMS, bound, field_manager=self.name))
        bound["status"] = {
            "phase": "Bound",
            "accessModes": claim["spec"]["accessModes"],
            "capacity": {"storage": claim["spec"]["resources"]["requests"]["storage"]},
        }
        await self.client.update(CLAIMS, bound, subresource="status", field_manager=self.name)

    async def _release(self, key: Key, claim: Object | None) -> None:
        """Delete volumes of claims that are gone; one that is being deleted keeps its volume until it is."""
        keep = uid_of(claim) if claim is not None else ""
        for volume in (await self.client.list(VOLUMES)).items:
            reference = volume["spec"].get("claimRef") or {}
            ours = (reference.get("namespace"), reference.get("name")) == key and reference.get("uid") != keep
            if ours and volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
                await self.client.delete(VOLUMES, volume["metadata"]["name"], uid=uid_of(volume))
