"""The rules for metadata of new objects; those for changed ones are tested with the verbs that change them."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS, NAMESPACES
from sidings.api.status import Invalid


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({}, "metadata.name: Required value: name or generateName is required"),
        ({"name": "Xx"}, 'metadata.name: Invalid value: "Xx": a lowercase RFC 1123 subdomain must'),
        ({"name": "x" * 254}, "must be no more than 253 characters"),
        ({"name": "x", "labels": {"a b": "c"}}, 'metadata.labels: Invalid value: "a b": name part must consist of'),
        ({"name": "x", "labels": {"a": "b c"}}, 'metadata.labels: Invalid value: "b c": a valid label must'),
        ({"name": "x", "annotations": {"a b": "c"}}, 'metadata.annotations: Invalid value: "a b": name part must'),
        (
            {"name": "x", "finalizers": ["bad"]},
            'metadata.finalizers[0]: Invalid value: "bad": name is neither a standard finalizer name nor is it fully '
            "qualified",
        ),
        (
            {"name": "x", "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p"}]},
            'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
        ),
        (
            {"name": "x", "ownerReferences": [{"apiVersion": "v1", "kind": "Event", "name": "p", "uid": "1"}]},
            "/v1, Kind=Event is disallowed from being an owner",
        ),
    ],
)
async def test_metadata_is_checked(api, metadata: Object, message: str) -> None:
    with pytest.raises(Invalid) as caught:
        await api.create(CONFIG_MAPS, {"metadata": metadata})
    assert message in caught.value.message


async def test_only_one_owner_may_control(api) -> None:
    owners = [
        {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid, "controller": True}
        for name, uid in (("p", "1"), ("q", "2"))
    ]
    with pytest.raises(Invalid) as caught:
        await api.create(CONFIG_MAPS, {"metadata": {"name": "x", "ownerReferences": owners}})
    assert caught.value.message.endswith(
        'Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q'
    )


async def test_a_namespace_name_is_a_label(api) -> None:
    with pytest.raises(Invalid, match="a lowercase RFC 1123 label must") as caught:
        await api.create(NAMESPACES, {"metadata": {"name": "A_b"}})
    assert len(caught.value.causes) == 1
