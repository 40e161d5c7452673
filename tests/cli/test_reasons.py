"""Jobs that do not run are explained by the code of their first finding; those that run or wait are not."""

from __future__ import annotations

import pytest

from sidings.api.objects import name_of, uid_of
from sidings.cli import jobs, reasons
from tests.host.test_findings import World, world

__all__ = ["world"]
pytestmark = pytest.mark.looptime


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


async def test_nothing_is_read_where_all_is_well(world: World) -> None:
    await world.play([{"node": {}}, {"job": {}}])
    families = await jobs.all_families(world.plane.client, "team")
    assert await reasons.of_families(world.plane.client, world.plane.clock, families, "") == {}
