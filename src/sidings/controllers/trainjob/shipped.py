"""What comes with the engine: the training runtimes, and the ConfigMap that tells SDKs the Trainer's version.

The objects are data under ``runtimes/``, put in place at each start by server-side apply without force: a new version
of the product renews its own fields, and where a user has changed one the conflict says so and the object stays theirs.
"""

from __future__ import annotations

import contextlib
import logging
from importlib import resources

import yaml

from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, CONFIG_MAPS, NAMESPACES, Resource
from sidings.api.status import AlreadyExists, Conflict
from sidings.client.interface import Client, PatchType

log = logging.getLogger(__name__)

NAMESPACE = "kubeflow-system"
TRAINER_VERSION = "v2.3.0"
"""The Trainer whose behaviour is served."""
FIELD_MANAGER = "sidings"


def shipped_runtimes() -> list[Object]:
    """The ClusterTrainingRuntimes of the product, sorted by name."""
    folder = resources.files(__package__) / "runtimes"
    files = sorted((item for item in folder.iterdir() if item.name.endswith(".yaml")), key=lambda item: item.name)
    return [yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) for file in files]


def public_config_map() -> Object:
    """``kubeflow-trainer-public``, where SDKs look for the version of the Trainer."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kubeflow-trainer-public", "namespace": NAMESPACE},
        "data": {"kubeflow_trainer_version": TRAINER_VERSION},
    }


async def install(client: Client) -> None:
    """Put everything that is shipped in place; the namespace is made if it is not there."""
    with contextlib.suppress(AlreadyExists):
        await client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    for runtime in shipped_runtimes():
        await _put(client, CLUSTER_TRAINING_RUNTIMES, runtime)
    await _put(client, CONFIG_MAPS, public_config_map())


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
