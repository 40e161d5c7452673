import asyncio

from sidings.api import conditions
from sidings.api.resources import CRDS
from tests.registry.test_custom_kinds import WIDGETS, definition


def reason(made):
    return conditions.find(made["status"]["conditions"], "NamesAccepted")["reason"]


async def test_of_two_at_once_one_gets_the_kind(api):
    one, other = await asyncio.gather(
        api.create(CRDS, definition()), api.create(CRDS, definition(plural="gadgets")), return_exceptions=False
    )
    assert (reason(one), reason(other)) == ("NoConflicts", "ListKindConflict")
    assert api.registry.catalog.by_kind("example.com", "v1", "Widget").resource == WIDGETS
    assert api.registry.catalog.by_plural("example.com", "v1", "gadgets") is None


async def test_a_kind_of_ours_is_not_taken_over(api):
    made = await api.create(CRDS, definition(group="jobset.x-k8s.io", plural="sets", kind="JobSet"))
    assert reason(made) == "ListKindConflict"


async def test_what_a_client_says_of_the_status_is_not_believed(api):
    await api.create(CRDS, definition())
    made = await api.create(
        CRDS, {**definition(plural="gadgets"), "status": api.get(CRDS, "widgets.example.com")["status"]}
    )
    assert reason(made) == "ListKindConflict"


async def test_a_write_of_one_that_waits_looks_again(api):
    await api.create(CRDS, definition())
    await api.create(CRDS, definition(plural="gadgets"))
    await api.registry.delete(api.kind(CRDS), "widgets.example.com")
    await api.patch(CRDS, "widgets.example.com", {"metadata": {"finalizers": None}})
    assert reason(await api.patch(CRDS, "gadgets.example.com", {})) == "NoConflicts"
    assert api.registry.catalog.by_plural("example.com", "v1", "gadgets") is not None
