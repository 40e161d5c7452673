"""The controller of PyTorchJobs: that of all jobs of the family, and the autoscaler of elastic ones."""

from __future__ import annotations

from sidings.api.objects import Key, Object, controller_of, is_deleting, uid_of
from sidings.api.resources import AUTOSCALERS, PYTORCH_JOBS
from sidings.api.status import NotFound
from sidings.controllers.pytorchjob import autoscaler
from sidings.controllers.pytorchjob.operator import PyTorchOperator
from sidings.controllers.training_operator.controller import TrainingJobController, is_foreign
from sidings.controllers.training_operator.effects import FIELD_MANAGER


class PyTorchJobController(TrainingJobController):
    name = "pytorchjob-controller"
    resource = PYTORCH_JOBS
    operator = PyTorchOperator()

    async def reconcile(self, key: Key) -> float | None:
        try:
            job = await self.client.get(self.resource, key.name, key.namespace)
        except NotFound:
            return None
        if job.get("spec") and not is_deleting(job) and not is_foreign(job):
            await self._autoscale(key, job)
        return await super().reconcile(key)

    async def _autoscale(self, key: Key, job: Object) -> None:
        """Bring the autoscaler to what the job's policy says; one that is somebody else's is left alone."""
        wanted = autoscaler.wanted(job)
        try:
            present = await self.client.get(AUTOSCALERS, key.name, key.namespace)
        except NotFound:
            if wanted is not None:
                await self._make(key, job, wanted)
            return
        if (controller_of(present) or {}).get("uid") != uid_of(job):
            return
        if wanted is None:
            await self.client.delete(AUTOSCALERS, key.name, key.namespace, uid=uid_of(present))
        elif present["spec"] != wanted["spec"]:
            changed = {**present, "spec": wanted["spec"]}
            await self.client.update(AUTOSCALERS, changed, field_manager=FIELD_MANAGER)

    async def _make(self, key: Key, job: Object, wanted: Object) -> None:
        made = await self.client.create(AUTOSCALERS, wanted, namespace=key.namespace, field_manager=FIELD_MANAGER)
        said = {**made, "status": autoscaler.status(job, self.clock.now())}
        await self.client.update(AUTOSCALERS, said, subresource="status", field_manager=FIELD_MANAGER)
