"""DELETE: at once, in grace, behind finalizers, with dependents."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object, copy_of
from sidings.api.options import BACKGROUND, FOREGROUND, ORPHAN, DeleteOptions, ListOptions
from sidings.api.resources import CONFIG_MAPS, EVENTS, JOB_SETS, JOBS, NAMESPACES, PODS, Resource
from sidings.api.status import Conflict, Invalid, NotFound
from sidings.registry.delete import ORPHANS_BY_DEFAULT


async def delete(api: Any, resource: Resource, name: str, **wanted: Any) -> Object:
    namespace = "default" if resource.namespaced else ""
    options = DeleteOptions(warn=api.warnings.append, **wanted)
    return await api.registry.delete(api.kind(resource), name, namespace, options)


@pytest.fixture
async def running(api, pod: Object) -> Object:
    created = copy_of(await api.create(PODS, pod))
    binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "node-1"}}
    await api.registry.create_subresource(api.kind(PODS), "p", "binding", binding, "default")
    return created


async def test_what_is_gone_is_answered_with_a_status(api, config_map: Object) -> None:
    created = await api.create(CONFIG_MAPS, config_map)
    assert await delete(api, CONFIG_MAPS, "c") == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "c", "kind": "configmaps", "uid": created["metadata"]["uid"]},
    }
    with pytest.raises(NotFound):
        await delete(api, CONFIG_MAPS, "c")


async def test_a_finalizer_holds_an_object_until_the_last_one_is_removed(api, jobset: Object) -> None:
    jobset["metadata"]["finalizers"] = ["a.io/b"]
    await api.create(JOB_SETS, jobset)
    held = await delete(api, JOB_SETS, "js")
    assert held["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:00Z"
    assert held["metadata"]["deletionGracePeriodSeconds"] == 0
    assert held["metadata"]["generation"] == 2
    api.clock.advance(60)
    assert await delete(api, JOB_SETS, "js") == held, "a second request changes nothing"

    with pytest.raises(
        Invalid, match=r"no new finalizers can be added if the object is being deleted, found new final"
    ):
        await api.patch(JOB_SETS, "js", {"metadata": {"finalizers": ["a.io/b", "c.io/d"]}})
    await api.patch(JOB_SETS, "js", {"metadata": {"annotations": {"still": "writable"}}})
    last = await api.patch(JOB_SETS, "js", {"metadata": {"finalizers": None}})
    assert "finalizers" not in last["metadata"]
    with pytest.raises(NotFound):
        api.get(JOB_SETS, "js")


async def test_preconditions(api, config_map: Object) -> None:
    created = await api.create(CONFIG_MAPS, config_map)
    uid, version = created["metadata"]["uid"], created["metadata"]["resourceVersion"]
    with pytest.raises(Conflict) as caught:
        await delete(api, CONFIG_MAPS, "c", uid="0000")
    assert caught.value.message == (
        f'Operation cannot be fulfilled on ConfigMap "c": the UID in the precondition (0000) does not match the UID in '
        f"record ({uid}). The object might have been deleted and then recreated"
    )
    with pytest.raises(Conflict, match=rf"the ResourceVersion in the precondition \(1\).*in record \({version}\)"):
        await delete(api, CONFIG_MAPS, "c", resource_version="1")
    await delete(api, CONFIG_MAPS, "c", uid=uid, resource_version=version)


async def test_a_dry_run_deletes_nothing(api, config_map: Object) -> None:
    await api.create(CONFIG_MAPS, config_map)
    assert (await delete(api, CONFIG_MAPS, "c", dry_run=True))["status"] == "Success"
    assert api.get(CONFIG_MAPS, "c")["data"] == {"k": "v"}


async def test_a_running_pod_has_its_grace_period(api, running: Object) -> None:
    going = await delete(api, PODS, "p")
    assert going["metadata"]["deletionGracePeriodSeconds"] == 30
    assert going["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:30Z"
    assert going["metadata"]["generation"] == 2
    api.clock.advance(10)
    shorter = await delete(api, PODS, "p", grace_period_seconds=5)
    assert shorter["metadata"]["deletionGracePeriodSeconds"] == 5
    assert shorter["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:05Z"
    assert shorter["metadata"]["generation"] == 2
    assert await delete(api, PODS, "p", grace_period_seconds=50) == shorter, "a longer one does not extend it"
    gone = await delete(api, PODS, "p", grace_period_seconds=0)
    assert gone["metadata"]["deletionGracePeriodSeconds"] == 0
    with pytest.raises(NotFound):
        api.get(PODS, "p")


async def test_a_negative_grace_period_is_one_second(api, running: Object) -> None:
    going = await delete(api, PODS, "p", grace_period_seconds=-1)
    assert going["metadata"]["deletionGracePeriodSeconds"] == 1


async def test_a_pod_that_no_node_has_goes_at_once(api, pod: Object) -> None:
    await api.create(PODS, pod)
    gone = await delete(api, PODS, "p")
    assert gone["metadata"]["deletionGracePeriodSeconds"] == 0
    assert gone["metadata"]["generation"] == 2
    with pytest.raises(NotFound):
        api.get(PODS, "p")


async def test_a_pod_in_grace_outlives_the_removal_of_its_finalizer(api, pod: Object) -> None:
    pod["metadata"]["finalizers"] = ["batch.kubernetes.io/job-tracking"]
    pod["spec"]["nodeName"] = "node-1"
    await api.create(PODS, pod)
    await delete(api, PODS, "p")
    await api.patch(PODS, "p", {"metadata": {"finalizers": None}})
    assert api.get(PODS, "p")["metadata"]["deletionGracePeriodSeconds"] == 30
    await delete(api, PODS, "p", grace_period_seconds=0)
    with pytest.raises(NotFound):
        api.get(PODS, "p")


@pytest.mark.parametrize(
    ("resource", "wanted", "finalizers"),
    [
        (JOB_SETS, {}, None),
        (JOB_SETS, {"propagation_policy": FOREGROUND}, ["foregroundDeletion"]),
        (JOB_SETS, {"propagation_policy": ORPHAN}, ["orphan"]),
        (JOB_SETS, {"orphan_dependents": True}, ["orphan"]),
        (JOBS, {}, ["orphan"]),
        (JOBS, {"propagation_policy": BACKGROUND}, None),
        (JOBS, {"orphan_dependents": False}, None),
    ],
)
async def test_what_becomes_of_dependents_is_a_finalizer(
    api, jobset: Object, resource: Resource, wanted: Any, finalizers: list[str] | None
) -> None:
    job = {"metadata": {"name": "js"}, "spec": jobset["spec"]["replicatedJobs"][0]["template"]["spec"]}
    await api.create(resource, jobset if resource is JOB_SETS else job)
    answer = await delete(api, resource, "js", **wanted)
    if finalizers is None:
        assert answer["kind"] == "Status"
    else:
        assert answer["metadata"]["finalizers"] == finalizers
        assert answer["metadata"]["deletionTimestamp"]
    assert api.warnings == ([ORPHANS_BY_DEFAULT] if resource is JOBS and not wanted else [])


async def test_the_policy_that_is_on_the_object_counts_before_the_default(api, jobset: Object) -> None:
    jobset["metadata"]["finalizers"] = ["foregroundDeletion"]
    await api.create(JOB_SETS, jobset)
    assert (await delete(api, JOB_SETS, "js"))["metadata"]["finalizers"] == ["foregroundDeletion"]
    assert (await delete(api, JOB_SETS, "js", propagation_policy=BACKGROUND))["kind"] == "Status"


async def test_an_event_owns_nothing_so_nobody_waits_for_its_dependents(api) -> None:
    event = {
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
        "type": "Normal",
    }
    await api.create(EVENTS, event, "default")
    assert (await delete(api, EVENTS, "e", propagation_policy=ORPHAN))["status"] == "Success"


async def test_a_namespace_is_terminating_until_it_is_finalized(api) -> None:
    await api.create(NAMESPACES, {"metadata": {"name": "team"}})
    going = await delete(api, NAMESPACES, "team")
    assert going["status"] == {"phase": "Terminating"}
    assert going["metadata"]["deletionTimestamp"]
    assert "deletionGracePeriodSeconds" not in going["metadata"]
    assert await delete(api, NAMESPACES, "team") == going
    emptied = copy_of(going)
    emptied["spec"]["finalizers"] = []
    emptied["metadata"]["labels"] = {"not": "taken"}
    last = await api.update(NAMESPACES, emptied, subresource="finalize")
    assert "not" not in last["metadata"]["labels"]
    with pytest.raises(NotFound):
        api.get(NAMESPACES, "team")


async def test_a_collection_is_deleted_by_selector(api) -> None:
    for name, app in (("a", "x"), ("b", "y"), ("c", "x")):
        await api.create(CONFIG_MAPS, {"metadata": {"name": name, "labels": {"app": app}}})
    page = await api.registry.delete_collection(
        api.kind(CONFIG_MAPS), "default", ListOptions(label_selector="app=x"), DeleteOptions()
    )
    assert [item.object["metadata"]["name"] for item in page.items] == ["a", "c"]
    left = api.registry.list(api.kind(CONFIG_MAPS), "default")
    assert [item.object["metadata"]["name"] for item in left.items] == ["b"]
