"""Which resources a server has: from ``apiVersion`` and ``kind`` of a manifest, or a word a user typed, to a Resource.

Reads the plain discovery documents (``/api/v1``, ``/apis/G/V``), which every server version has.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from sidings.api.resources import Resource
from sidings.api.status import NotFound
from sidings.client.http import HttpClient


class Discovered(NamedTuple):
    """One resource as its server describes it."""

    resource: Resource
    singular: str
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()

    def answers_to(self, word: str) -> bool:
        """Whether ``word`` names it: plural, singular, kind or short name, alone or as ``NAME.[VERSION.]GROUP``."""
        name, dot, group = word.lower().partition(".")
        resource = self.resource
        names = (resource.plural, self.singular, resource.kind.lower(), *self.short_names)
        return name in names and (not dot or group in (resource.group, f"{resource.version}.{resource.group}"))


async def resources_of(client: HttpClient, api_version: str) -> list[Discovered]:
    """All resources of one group and version, without subresources. Raises NotFound for one not served."""
    group, _, version = api_version.rpartition("/")
    body = await client.request_json("GET", f"/apis/{api_version}" if group else f"/api/{version}")
    return [_discovered(group, version, item) for item in body["resources"] if "/" not in item["name"]]


async def all_resources(client: HttpClient) -> list[Discovered]:
    """All resources of every group's preferred version, core first."""
    groups = (await client.request_json("GET", "/apis"))["groups"]
    versions = ["v1", *(group["preferredVersion"]["groupVersion"] for group in groups)]
    lists = await asyncio.gather(*(resources_of(client, version) for version in versions))
    return [item for found in lists for item in found]


async def resource_for(client: HttpClient, api_version: str, kind: str) -> Resource:
    """The resource that a manifest means; NotFound in kubectl's words where the server has none."""
    try:
        found = await resources_of(client, api_version)
    except NotFound:
        found = []
    for item in found:
        if item.resource.kind == kind:
            return item.resource
    raise NotFound(f'no matches for kind "{kind}" in version "{api_version}"', kind=kind)


def _discovered(group: str, version: str, item: dict[str, Any]) -> Discovered:
    resource = Resource(
        item.get("group", group), item.get("version", version), item["name"], item["kind"], bool(item["namespaced"])
    )
    return Discovered(
        resource,
        str(item.get("singularName") or item["kind"].lower()),
        tuple(item.get("shortNames") or ()),
        tuple(item.get("categories") or ()),
        tuple(item.get("verbs") or ()),
    )
