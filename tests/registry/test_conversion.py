import pytest

from sidings.api.options import ListOptions
from sidings.api.resources import EVENTS, EVENTS_V1
from sidings.api.status import Invalid

EVENT = {
    "metadata": {"name": "e"},
    "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
    "note": "it runs",
    "reason": "Started",
    "action": "Start",
    "type": "Normal",
    "eventTime": "2026-11-30T12:00:00.000000Z",
    "reportingController": "example.com/c",
    "reportingInstance": "c-1",
}


async def test_both_versions_show_the_same_event(api):
    made = await api.create(EVENTS_V1, EVENT)
    assert (made["apiVersion"], made["note"], made["deprecatedSource"]) == ("events.k8s.io/v1", "it runs", {})
    core = api.get(EVENTS, "e")
    assert (core["apiVersion"], core["message"], core["involvedObject"]["name"]) == ("v1", "it runs", "p")
    assert api.get(EVENTS_V1, "e") == made
    assert made["metadata"]["uid"] == core["metadata"]["uid"]


async def test_selectors_are_in_its_own_words(api):
    await api.create(EVENTS_V1, EVENT)
    kind = api.kind(EVENTS_V1)
    for selector, count in (("regarding.kind=Pod", 1), ("regarding.kind!=Pod,type=Normal", 0), ("type=Normal", 1)):
        assert len(api.registry.list(kind, "default", ListOptions(field_selector=selector)).items) == count


@pytest.mark.parametrize(
    ("patch", "patch_type"),
    [
        ({"note": "it ran"}, "application/merge-patch+json"),
        ([{"op": "replace", "path": "/note", "value": "it ran"}], "application/json-patch+json"),
    ],
)
async def test_patches_too(api, patch, patch_type):
    await api.create(EVENTS_V1, EVENT)
    await api.registry.patch(api.kind(EVENTS_V1), "e", patch, "default", api.options(), patch_type=patch_type)
    assert api.get(EVENTS, "e")["message"] == "it ran"


async def test_a_watch_shows_the_view(api):
    await api.create(EVENTS_V1, EVENT)
    seen = api.registry.watch(api.kind(EVENTS_V1), "default", ListOptions(timeout_seconds=0))
    first = await anext(seen)
    assert (first.type, first.object["note"]) == ("ADDED", "it runs")
    await seen.aclose()


async def test_what_only_this_version_asks_for(api):
    with pytest.raises(Invalid, match="reportingInstance: Required value"):
        await api.create(EVENTS_V1, {key: value for key, value in EVENT.items() if key != "reportingInstance"})


async def test_deleted_in_one_version_it_is_gone_in_both(api):
    await api.create(EVENTS_V1, EVENT)
    await api.registry.delete(api.kind(EVENTS_V1), "e", "default")
    assert api.registry.list(api.kind(EVENTS), "default").items == []
