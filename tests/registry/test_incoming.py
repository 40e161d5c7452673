"""Bodies: of the right kind, with known fields, of the right types; else kube-apiserver's words."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.api.options import IGNORE, STRICT
from sidings.api.resources import CONFIG_MAPS, JOB_SETS, JOBS, PODS
from sidings.api.status import BadRequest


async def test_an_unknown_field_is_an_error_a_warning_or_nothing(api, pod: Object) -> None:
    pod["spec"]["nope"] = {"a": 1}
    pod["spec"]["containers"][0]["imagee"] = "x"
    with pytest.raises(BadRequest) as caught:
        await api.create(PODS, pod, field_validation=STRICT)
    assert caught.value.message == (
        'Pod in version "v1" cannot be handled as a Pod: strict decoding error: '
        'unknown field "spec.containers[0].imagee" (did you mean "image"?), '
        'unknown field "spec.nope"'
    )
    created = await api.create(PODS, pod, dry_run=True)
    assert sorted(api.warnings) == [
        'unknown field "spec.containers[0].imagee" (did you mean "image"?)',
        'unknown field "spec.nope"',
    ]
    assert "nope" not in created["spec"]
    api.warnings.clear()
    await api.create(PODS, pod, field_validation=IGNORE)
    assert api.warnings == []


async def test_what_the_parser_saw_twice_counts_as_well(api, pod: Object) -> None:
    twice = ('duplicate field "spec.containers[0].image"',)
    with pytest.raises(BadRequest, match=r'strict decoding error: duplicate field "spec.containers'):
        await api.create(PODS, pod, field_validation=STRICT, repeated=twice)


async def test_a_custom_resource_is_pruned_at_every_depth(api, jobset: Object) -> None:
    jobset["spec"]["bogus"] = 1
    jobset["metadata"]["wat"] = 1
    created = await api.create(JOB_SETS, jobset)
    assert sorted(api.warnings) == ['unknown field "metadata.wat"', 'unknown field "spec.bogus"']
    assert "bogus" not in created["spec"]
    assert "wat" not in created["metadata"]


async def test_a_body_without_type_is_taken_for_its_kind(api) -> None:
    created = await api.create(CONFIG_MAPS, {"metadata": {"name": "x"}})
    assert (created["apiVersion"], created["kind"]) == ("v1", "ConfigMap")


@pytest.mark.parametrize(
    ("api_version", "kind", "message"),
    [
        (
            "v1",
            "Pod",
            'Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown '
            "conversion",
        ),
        (
            "v1",
            "Foo",
            'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" in '
            'scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"',
        ),
    ],
)
async def test_another_kind_is_refused_by_built_in_kinds(api, api_version: str, kind: str, message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        await api.create(CONFIG_MAPS, {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}})
    assert caught.value.message == message


async def test_another_kind_is_rewritten_but_another_version_refused_by_custom_ones(api, jobset: Object) -> None:
    created = await api.create(JOB_SETS, {**jobset, "kind": "Foo"}, dry_run=True)
    assert created["kind"] == "JobSet"
    with pytest.raises(BadRequest) as caught:
        await api.create(JOB_SETS, {**jobset, "apiVersion": "jobset.x-k8s.io/v1"})
    assert caught.value.message == (
        "the API version in the data (jobset.x-k8s.io/v1) does not match the expected API version "
        "(jobset.x-k8s.io/v1alpha2)"
    )


async def test_wrong_types(api, jobset: Object) -> None:
    with pytest.raises(BadRequest) as caught:
        await api.create(JOBS, {"metadata": {"name": "x"}, "spec": {"suspend": "true"}})
    assert caught.value.message == (
        'Job in version "v1" cannot be handled as a Job: json: cannot unmarshal string into Go struct field '
        "JobSpec.spec.suspend of type bool"
    )
    jobset["spec"]["replicatedJobs"][0]["replicas"] = "1"
    with pytest.raises(BadRequest) as caught:
        await api.create(JOB_SETS, jobset)
    status = caught.value.to_status()
    assert status["message"] == (
        'admission webhook "mjobset.kb.io" denied the request: json: cannot unmarshal string into Go struct field '
        "ReplicatedJob.spec.replicatedJobs.replicas of type int32"
    )
    assert status["code"] == 400
    assert "reason" not in status
