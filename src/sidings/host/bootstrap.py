"""What a control plane has before anybody applied anything: namespaces, roles, classes and our runtimes."""

from __future__ import annotations

from collections.abc import Collection

from sidings.api.objects import Object, annotations_of, name_of, uid_of
from sidings.api.resources import NAMESPACES, NODES
from sidings.api.status import AlreadyExists
from sidings.client.interface import Client
from sidings.controllers.trainjob import shipped
from sidings.host.default_objects import default_objects

PYTHON_PREFIX = "sidings.dev/python-prefix"
"""The annotation that the node agent puts on nodes of its own."""
SYSTEM_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease", "kubeflow-system")
"""Those of a fresh cluster with Kubeflow Trainer installed."""


async def bootstrap(client: Client, profile: str = "") -> None:
    """Make what is missing; ``profile`` says which runtimes."""
    for name in SYSTEM_NAMESPACES:
        try:
            await client.create(NAMESPACES, _namespace(name))
        except AlreadyExists:
            continue
    for resource, obj in default_objects():
        try:
            await client.create(resource, obj)
        except AlreadyExists:
            continue
    await shipped.install(client, profile)


async def retire_nodes(client: Client, wanted: Collection[str]) -> None:
    """Delete Node objects of an earlier engine that had more nodes; pods that were on them are collected as lost."""
    for node in (await client.list(NODES)).items:
        if PYTHON_PREFIX in annotations_of(node) and name_of(node) not in wanted:
            await client.delete(NODES, name_of(node), uid=uid_of(node))


def _namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
