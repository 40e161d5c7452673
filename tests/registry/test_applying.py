"""Server-side apply as a verb; ownership itself is tested in ``tests/api/apply``."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS, JOB_SETS
from sidings.api.status import BadRequest, Conflict, NotFound, UnexplainedError
from sidings.registry.patch import APPLY


def configuration(**data: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}


async def apply(api: Any, body: Any, manager: str = "m1", **wanted: Any) -> tuple[Object, bool]:
    return await api.registry.patch(
        api.kind(CONFIG_MAPS),
        "c",
        body,
        "default",
        api.options(field_manager=manager, **wanted),
        patch_type=APPLY,
    )


async def test_apply_creates_then_changes(api) -> None:
    created, new = await apply(api, configuration(a="1", b="1"))
    assert new
    assert created["metadata"]["namespace"] == "default"
    changed, new = await apply(api, configuration(a="2"))
    assert not new
    assert changed["data"] == {"a": "2"}, "what is not applied any more and nobody else owns is gone"


async def test_the_same_again_writes_nothing(api) -> None:
    first, _ = await apply(api, configuration(a="1"))
    api.clock.advance(60)
    again, _ = await apply(api, configuration(a="1"))
    assert again == first
    assert api.store.revision == int(first["metadata"]["resourceVersion"])


async def test_a_conflict_names_the_manager_and_force_overrides_it(api) -> None:
    await apply(api, configuration(a="1"))
    with pytest.raises(Conflict) as caught:
        await apply(api, configuration(a="2"), "m2")
    assert caught.value.message == 'Apply failed with 1 conflict: conflict with "m1": .data.a'
    forced, _ = await apply(api, configuration(a="2"), "m2", force=True)
    assert forced["data"] == {"a": "2"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"data": {"a": "1"}}, "invalid object type: /, Kind="),
        ([], "error decoding YAML"),
        ({**configuration(), "metadata": {"name": "other"}}, r"the name of the object \(other\) does not match"),
        (
            {**configuration(), "metadata": {"name": "c", "managedFields": [{"manager": "x"}]}},
            "metadata.managedFields must be nil",
        ),
    ],
)
async def test_what_is_no_configuration(api, body: Any, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        await apply(api, body)


async def test_a_pinned_identity_must_hold(api) -> None:
    pinned = configuration(a="1")
    pinned["metadata"]["uid"] = "1234"
    with pytest.raises(Conflict, match="uid mismatch: the provided object specified uid 1234"):
        await apply(api, pinned)
    await apply(api, configuration(a="1"))
    stale = configuration(a="2")
    stale["metadata"]["resourceVersion"] = "1"
    with pytest.raises(Conflict, match="the object has been modified"):
        await apply(api, stale)


async def test_custom_resources_get_their_defaults_and_refuse_unknown_fields(api, jobset: Object) -> None:
    body = {"apiVersion": JOB_SETS.api_version, "kind": "JobSet", **jobset}
    applied = await api.patch(JOB_SETS, "js", body, APPLY)
    assert applied["spec"]["successPolicy"] == {"operator": "All"}
    body["spec"]["zz"] = 1
    with pytest.raises(UnexplainedError) as caught:
        await api.patch(JOB_SETS, "js", body, APPLY)
    assert caught.value.message == (
        "failed to create typed patch object (/js; jobset.x-k8s.io/v1alpha2, Kind=JobSet): .spec.zz: field not "
        "declared in schema"
    )


async def test_applying_a_status_needs_the_object(api) -> None:
    body = {"apiVersion": JOB_SETS.api_version, "kind": "JobSet", "metadata": {"name": "js"}, "status": {"restarts": 1}}
    with pytest.raises(NotFound):
        await api.patch(JOB_SETS, "js", body, APPLY, subresource="status")


async def test_what_cannot_be_read_is_refused(api) -> None:
    wrong = {**configuration(), "metadata": {"name": "c", "creationTimestamp": "\n"}}
    for body, told in ((wrong, "parsing time"), ({**configuration(), "metadata": [1]}, "metadata is not an object")):
        with pytest.raises(BadRequest) as caught:
            await apply(api, body)
        assert told in str(caught.value)
