"""What comes with the engine: the runtimes of its profile, and the ConfigMap that tells SDKs the Trainer's version.

They are put in place at each start by server-side apply without force: a new version of the product renews its own
fields, and where a user has changed one the conflict says so and the object stays theirs. Runtimes of another profile
go, unless somebody else has written to them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Collection

from sidings.api.objects import Object, name_of, uid_of
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, CONFIG_MAPS, NAMESPACES, Resource
from sidings.api.status import AlreadyExists, Conflict
from sidings.client.interface import Client, PatchType
from sidings.controllers.trainjob import profiles

log = logging.getLogger(__name__)

NAMESPACE = "kubeflow-system"
FIELD_MANAGER = "sidings"


def public_config_map(version: str) -> Object:
    """``kubeflow-trainer-public``, where SDKs look for the version of the Trainer."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kubeflow-trainer-public", "namespace": NAMESPACE},
        "data": {"kubeflow_trainer_version": version},
    }


async def install(client: Client, profile_name: str = "") -> None:
    """Put everything that is shipped in place; the namespace is made if it is not there."""
    with contextlib.suppress(AlreadyExists):
        await client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    profile = profiles.profile(profile_name)
    await _retire(client, {name_of(runtime) for runtime in profile.runtimes})
    await asyncio.gather(
        *(_put(client, CLUSTER_TRAINING_RUNTIMES, runtime) for runtime in profile.runtimes),
        _put(client, CONFIG_MAPS, public_config_map(profile.version)),
    )


async def _retire(client: Client, wanted: Collection[str]) -> None:
    """Delete runtimes that nobody but us has written and that are not of this profile; TrainJobs have snapshots."""
    for runtime in (await client.list(CLUSTER_TRAINING_RUNTIMES)).items:
        writers = {entry.get("manager") for entry in runtime["metadata"].get("managedFields") or ()}
        if writers == {FIELD_MANAGER} and name_of(runtime) not in wanted:
            await client.delete(CLUSTER_TRAINING_RUNTIMES, name_of(runtime), uid=uid_of(runtime))


async def _put(client: Client, resource: Resource, obj: Object) -> None:
    metadata = obj["metadata"]
    try:
        await client.patch(
            resource,
            metadata["name"],
            obj,
            namespace=metadata.get("namespace") or "",
            patch_type=PatchType.APPLY,
            field_manager=FIELD_MANAGER,
        )
    except Conflict as conflict:
        log.info("%s %s was changed by a user and is left as it is: %s", obj["kind"], metadata["name"], conflict)
