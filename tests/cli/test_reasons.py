"""Jobs that do not run are explained by the code of their first finding; those that run or wait are not."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import name_of, uid_of
from sidings.api.resources import WORKLOADS, Resource
from sidings.api.status import Forbidden
from sidings.cli import jobs, reasons
from sidings.client.interface import ObjectList
from sidings.client.local import LocalClient
from sidings.registry.registry import Registry
from tests.host.test_findings import World, world

__all__ = ["world"]
pytestmark = pytest.mark.looptime


class Remembering(LocalClient):
    def __init__(self, registry: Registry) -> None:
        super().__init__(registry)
        self.workloads: list[tuple[str, str]] = []
        """For which namespaces and fields it was asked for lists of Workloads."""

    async def list(self, resource: Resource, namespace: str = "", **options: Any) -> ObjectList:
        if resource == WORKLOADS:
            self.workloads.append((namespace, options["field_selector"]))
        return await super().list(resource, namespace, **options)


async def test_each_job_by_its_first_finding(world: World) -> None:
    queue = [{"node": {}}, {"flavor": {}}, {"queue": {"cpu": 2}}, {"local": {}}]
    wanted = {"runs": 2, "waits": 1, "never": 3}
    await world.play([*queue, *({"job": {"name": name, "queue": "lq", "cpu": cpu}} for name, cpu in wanted.items())])
    client = world.plane.client
    families = await jobs.all_families(client, "team")
    found = await reasons.of_families(client, world.plane.clock, families, "")
    codes = {name_of(f.root): found[uid_of(f.root)].code if uid_of(f.root) in found else "" for f in families}
    assert codes == {"runs": "", "waits": "", "never": "SDG-110"}
    finding = next(iter(found.values()))
    assert reasons.text(finding, "ExceedsMaxQuota: no") == "SDG-110: ExceedsMaxQuota: no"
    assert reasons.text(finding, "") == "SDG-110: it asks for 1 pod x 3 CPUs = 3 > 2 (main 1)"


async def test_workloads_that_were_seen_are_not_read_again(world: World) -> None:
    """Those of other namespaces are: whoever is ahead in the queue may be theirs."""
    queue = [{"node": {}}, {"flavor": {}}, {"queue": {"cpu": 2}}, {"local": {}}]
    await world.play([*queue, {"job": {"name": "never", "queue": "lq", "cpu": 3}}])
    client = Remembering(world.plane.registry)
    here, everywhere = await jobs.listed(client, "team"), await jobs.listed(client, "")
    for seen, read in (
        (here.workloads, [("", "metadata.namespace!=team")]),
        (everywhere.workloads, []),
        (None, [("", "")]),
    ):
        client.workloads.clear()
        found = await reasons.of_families(client, world.plane.clock, here.families, "", seen)
        assert [each.code for each in found.values()] == ["SDG-110"]
        assert client.workloads == read


class OwnNamespace(LocalClient):
    """A user who may list Workloads in a namespace only."""

    async def list(self, resource: Resource, namespace: str = "", **options: Any) -> ObjectList:
        if resource == WORKLOADS and not namespace:
            raise Forbidden("workloads.kueue.x-k8s.io is forbidden")
        return await super().list(resource, namespace, **options)


async def test_who_sees_the_workloads_of_one_namespace_is_answered_by_those(world: World) -> None:
    queue = [{"node": {}}, {"flavor": {}}, {"queue": {"cpu": 2}}, {"local": {}}]
    await world.play([*queue, {"job": {"name": "never", "queue": "lq", "cpu": 3}}])
    client = OwnNamespace(world.plane.registry)
    here = await jobs.listed(client, "team")
    found = await reasons.of_families(client, world.plane.clock, here.families, "", here.workloads)
    assert [each.code for each in found.values()] == ["SDG-110"]


async def test_nothing_is_read_where_all_is_well(world: World) -> None:
    await world.play([{"node": {}}, {"job": {}}])
    families = await jobs.all_families(world.plane.client, "team")
    assert await reasons.of_families(world.plane.client, world.plane.clock, families, "") == {}
