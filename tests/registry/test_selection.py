"""Selectors: which fields a kind offers, what they read as, and what upstream says about the others."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.options import ListOptions
from sidings.api.resources import CONFIG_MAPS, JOBS, NAMESPACES, NODES, PODS, Resource
from sidings.api.status import BadRequest


def names(api: Any, resource: Resource, selector: str, namespace: str = "default") -> list[str]:
    page = api.registry.list(api.kind(resource), namespace, ListOptions(field_selector=selector))
    return [item.object["metadata"]["name"] for item in page.items]


async def test_field_selectors_of_pods(api, pod: Object) -> None:
    for name, node in (("p", ""), ("q", "node-1")):
        await api.create(
            PODS, {"metadata": {"name": name}, "spec": {**pod["spec"], **({"nodeName": node} if node else {})}}
        )
    assert names(api, PODS, "spec.nodeName=node-1") == ["q"]
    assert names(api, PODS, "spec.nodeName=") == ["p"]
    assert names(api, PODS, "status.phase!=Running,metadata.name!=q") == ["p"]
    assert names(api, PODS, "metadata.name=q") == ["q"]
    assert names(api, PODS, "metadata.name=q,metadata.namespace=default", "") == ["q"]


async def test_absent_numbers_and_flags_read_as_zero(api, jobset: Object) -> None:
    job = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]
    await api.create(JOBS, {"metadata": {"name": "j"}, "spec": job})
    assert names(api, JOBS, "status.successful=0") == ["j"]
    await api.create(NODES, {"metadata": {"name": "n"}})
    assert names(api, NODES, "spec.unschedulable=false", "") == ["n"]


@pytest.mark.parametrize(
    ("resource", "selector", "message"),
    [
        (PODS, "spec.suspend=true", "field label not supported: spec.suspend"),
        (JOBS, "metadata.uid=x", 'field label "metadata.uid" not supported for Job'),
        (CONFIG_MAPS, "type=x", '"type" is not a known field selector: only "metadata.name", "metadata.namespace"'),
        (NAMESPACES, "metadata.namespace=x", "field label not supported: metadata.namespace"),
        (PODS, "metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
    ],
)
async def test_fields_that_a_kind_does_not_offer(api, resource: Resource, selector: str, message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        names(api, resource, selector, "")
    assert caught.value.message == message
