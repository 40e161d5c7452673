"""POST: what is filled in, what is refused, and in which order."""

from __future__ import annotations

import pytest

from sidings.api.names import generate_name
from sidings.api.objects import Object, copy_of
from sidings.api.resources import CONFIG_MAPS, JOB_SETS, NAMESPACES, PODS
from sidings.api.status import AlreadyExists, BadRequest, Forbidden, NotFound, UnexplainedError


async def test_a_new_object_gets_its_identity(api, pod: Object) -> None:
    sent = copy_of(pod)
    created = await api.create(PODS, pod)
    metadata = created["metadata"]
    assert (created["apiVersion"], created["kind"], metadata["namespace"]) == ("v1", "Pod", "default")
    assert metadata["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert metadata["generation"] == 1
    assert len(metadata["uid"]) == 36
    assert metadata["resourceVersion"] == str(api.store.revision)
    assert created["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert api.get(PODS, "p") == created
    assert pod == sent, "the caller's object is not touched"


async def test_managed_fields_hold_what_was_sent_not_what_admission_added(api, pod: Object) -> None:
    created = await api.create(PODS, pod)
    (entry,) = created["metadata"]["managedFields"]
    assert (entry["manager"], entry["operation"]) == ("test", "Update")
    assert "f:restartPolicy" in entry["fieldsV1"]["f:spec"], "defaults of decoding count"
    assert "f:priority" not in entry["fieldsV1"]["f:spec"]
    assert created["spec"]["priority"] == 0


async def test_what_only_the_server_may_set_is_set_by_it(api, config_map: Object, jobset: Object) -> None:
    system = {"uid": "abc", "creationTimestamp": "2001-01-01T00:00:00Z", "deletionTimestamp": "2001-01-01T00:00:00Z"}
    config_map["metadata"].update(system, generation=7, selfLink="/x")
    metadata = (await api.create(CONFIG_MAPS, config_map))["metadata"]
    assert metadata["uid"] != "abc"
    assert metadata["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert "deletionTimestamp" not in metadata
    assert "selfLink" not in metadata
    assert metadata["generation"] == 7, "kinds without a generation keep what is sent (recorded)"
    jobset["metadata"].update(system, generation=7)
    jobset["status"] = {"restarts": 4}
    created = await api.create(JOB_SETS, jobset)
    assert created["metadata"]["generation"] == 1
    assert "status" not in created


async def test_a_taken_name(api, config_map: Object) -> None:
    await api.create(CONFIG_MAPS, config_map)
    with pytest.raises(AlreadyExists, match=r'^configmaps "c" already exists$') as caught:
        await api.create(CONFIG_MAPS, config_map)
    assert caught.value.to_status()["details"] == {"name": "c", "kind": "configmaps"}


async def test_a_name_whose_holder_is_going(api, config_map: Object) -> None:
    config_map["metadata"]["finalizers"] = ["a.io/b"]
    await api.create(CONFIG_MAPS, config_map)
    await api.registry.delete(api.kind(CONFIG_MAPS), "c", "default")
    with pytest.raises(AlreadyExists, match=r'^object is being deleted: configmaps "c" already exists$'):
        await api.create(CONFIG_MAPS, config_map)


async def test_generated_names_avoid_those_that_are_taken(api) -> None:
    """The same random numbers again: the first name that comes out is taken, the second is not."""
    state = api.rng.getstate()
    first = (await api.create(CONFIG_MAPS, {"metadata": {"generateName": "gn-"}}))["metadata"]["name"]
    api.rng.setstate(state)
    second = (await api.create(CONFIG_MAPS, {"metadata": {"generateName": "gn-"}}))["metadata"]["name"]
    assert first != second
    assert first.startswith("gn-") and second.startswith("gn-")
    api.rng.setstate(state)
    assert generate_name("gn-", api.rng) == first


async def test_dry_run_answers_but_stores_nothing(api, config_map: Object) -> None:
    before = api.store.revision
    created = await api.create(CONFIG_MAPS, config_map, dry_run=True)
    assert created["metadata"]["uid"]
    assert "resourceVersion" not in created["metadata"]
    assert api.store.revision == before
    with pytest.raises(NotFound, match=r'^configmaps "c" not found$'):
        api.get(CONFIG_MAPS, "c")


async def test_a_resource_version_is_an_error_but_not_in_a_dry_run(api, config_map: Object) -> None:
    config_map["metadata"]["resourceVersion"] = "5"
    with pytest.raises(UnexplainedError, match="resourceVersion should not be set on objects to be created"):
        await api.create(CONFIG_MAPS, config_map)
    await api.create(CONFIG_MAPS, config_map, dry_run=True)


async def test_the_namespace_must_be_there_the_same_and_not_going(api, config_map: Object) -> None:
    with pytest.raises(NotFound, match=r'^namespaces "nope" not found$'):
        await api.create(CONFIG_MAPS, config_map, namespace="nope")
    config_map["metadata"]["namespace"] = "other"
    with pytest.raises(BadRequest, match="does not match the namespace sent on the request"):
        await api.create(CONFIG_MAPS, config_map)
    await api.create(NAMESPACES, {"metadata": {"name": "other"}})
    await api.registry.delete(api.kind(NAMESPACES), "other")
    with pytest.raises(Forbidden, match="because it is being terminated") as caught:
        await api.create(CONFIG_MAPS, config_map, namespace="other")
    assert caught.value.causes[0].reason == "NamespaceTerminating"
