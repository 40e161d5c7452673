"""Kueue's objects from clusters that serve its older version only (before Kueue v0.14), as the newer one has them."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.resources import WORKLOADS, Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client

OLDER = "v1beta1"


async def listed(
    client: Client, resource: Resource, namespace: str, label_selector: str = "", field_selector: str = ""
) -> tuple[list[Object], str]:
    """(objects with apiVersion and kind as answers read them, the version they were read in).

    Raises NotFound where the cluster does not serve the kind at all.
    """
    try:
        page = await client.list(resource, namespace, label_selector=label_selector, field_selector=field_selector)
    except NotFound:
        if resource.group != WORKLOADS.group:
            raise
        return await _older(client, resource, namespace, label_selector, field_selector), OLDER
    return [_typed(resource, item) for item in page.items], resource.version


async def _older(
    client: Client, resource: Resource, namespace: str, label_selector: str, field_selector: str
) -> list[Object]:
    from sidings.api import catalog

    kind = catalog.builtin().by_plural(resource.group, OLDER, resource.plural)
    if kind is None or kind.conversion is None:
        raise NotFound(f"{resource.kind} has no {OLDER}")
    page = await client.list(kind.resource, namespace, label_selector=label_selector, field_selector=field_selector)
    return [kind.conversion.to_stored(_typed(kind.resource, item)) for item in page.items]


def _typed(resource: Resource, item: Object) -> Object:
    return {"apiVersion": resource.api_version, "kind": resource.kind, **item}
