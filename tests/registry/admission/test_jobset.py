"""JobSets through the registry: webhook refusals, CEL refusals, and claims that exist already."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.resources import CLAIMS, JOB_SETS
from sidings.api.status import BadRequest, Invalid

SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeMode": "Filesystem"}
WEBHOOK = 'admission webhook "vjobset.kb.io" denied the request: JobSet.jobset.x-k8s.io "js" is invalid: '


def jobset(**spec: Any) -> Object:
    container = {"name": "main", "image": "img:1", "volumeMounts": [{"name": "keep", "mountPath": "/keep"}]}
    job_spec = {"completions": 1, "parallelism": 1, "template": {"spec": {"containers": [container]}}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "js"},
        "spec": {"replicatedJobs": [{"name": "a", "template": {"spec": job_spec}}], **spec},
    }


def claiming(when_deleted: str, **claim: Any) -> Object:
    template = {"metadata": {"name": "keep"}, "spec": {**SPEC, **claim}}
    return jobset(volumeClaimPolicies=[{"templates": [template], "retentionPolicy": {"whenDeleted": when_deleted}}])


async def existing_claim(api, **bound: str) -> None:
    spec = {**SPEC, **bound}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "keep-js"}, "spec": spec}
    await api.create(CLAIMS, claim)


async def test_a_jobset_is_stored_with_its_defaults(api) -> None:
    stored = (await api.create(JOB_SETS, jobset()))["spec"]
    assert stored["network"] == {"enableDNSHostnames": True, "publishNotReadyAddresses": True}
    assert stored["replicatedJobs"][0]["replicas"] == 1


async def test_the_webhook_refuses_in_its_own_name(api) -> None:
    with pytest.raises(Invalid) as refusal:
        await api.create(JOB_SETS, jobset(coordinator={"replicatedJob": "z"}))
    message = "<nil>: Internal error: coordinator replicatedJob z does not exist"
    assert refusal.value.message == WEBHOOK + message
    assert [(cause.field, cause.reason) for cause in refusal.value.causes] == [("<nil>", "InternalError")]


async def test_wrong_types_are_refused_before_the_schema_is_asked(api) -> None:
    with pytest.raises(BadRequest, match=r"cannot unmarshal string into Go struct field JobSetSpec.spec.suspend"):
        await api.create(JOB_SETS, jobset(suspend="yes"))


async def test_the_schema_refuses_in_the_name_of_the_server(api) -> None:
    with pytest.raises(Invalid) as refusal:
        await api.create(JOB_SETS, jobset(ttlSecondsAfterFinished=-1))
    assert refusal.value.message.startswith('JobSet.jobset.x-k8s.io "js" is invalid: spec.ttlSecondsAfterFinished: ')


async def test_in_order_excludes_dependencies(api) -> None:
    wrong = jobset(startupPolicy={"startupPolicyOrder": "InOrder"})
    second = {**wrong["spec"]["replicatedJobs"][0], "name": "b", "dependsOn": [{"name": "a", "status": "Ready"}]}
    wrong["spec"]["replicatedJobs"].append(second)
    with pytest.raises(Invalid, match="spec: Invalid value: StartupPolicy and DependsOn APIs are mutually exclusive"):
        await api.create(JOB_SETS, wrong)


async def test_claims_may_not_be_put_into_other_namespaces(api) -> None:
    wrong = claiming("Delete")
    wrong["spec"]["volumeClaimPolicies"][0]["templates"][0]["metadata"]["namespace"] = "x"
    with pytest.raises(Invalid, match="namespace cannot be set for VolumeClaimPolicies templates"):
        await api.create(JOB_SETS, wrong)


async def test_an_existing_claim_is_reused_if_it_is_retained_and_the_same(api) -> None:
    await existing_claim(api)
    await api.create(JOB_SETS, claiming("Retain"))


async def test_a_claim_that_has_its_volume_is_reused_too(api) -> None:
    await existing_claim(api, volumeName="pv-1", storageClassName="standard")
    with pytest.raises(Invalid):
        await api.create(JOB_SETS, claiming("Retain", storageClassName="fast"))
    await api.create(JOB_SETS, claiming("Retain"))


@pytest.mark.parametrize(
    ("wanted", "fields"),
    [
        (claiming("Delete"), ["spec.volumeClaimPolicies[0].retentionPolicy.whenDeleted"]),
        (claiming("Retain", volumeMode=None), ["spec.volumeClaimPolicies[0].template[0].spec"]),
        (
            claiming("Delete", storageClassName="fast"),
            [
                "spec.volumeClaimPolicies[0].template[0].spec",
                "spec.volumeClaimPolicies[0].retentionPolicy.whenDeleted",
            ],
        ),
    ],
)
async def test_an_existing_claim_that_may_not_be_reused(api, wanted: Object, fields: list[str]) -> None:
    await existing_claim(api)
    with pytest.raises(Invalid) as refusal:
        await api.create(JOB_SETS, wanted)
    assert [cause.field for cause in refusal.value.causes] == fields


async def test_groups_cannot_change(api) -> None:
    changed = objects.copy_of(await api.create(JOB_SETS, jobset()))
    changed["spec"]["replicatedJobs"][0]["replicas"] = 2
    with pytest.raises(Invalid) as refusal:
        await api.update(JOB_SETS, changed)
    assert refusal.value.message.startswith(WEBHOOK + "spec.replicatedJobs: Invalid value: ")
    assert refusal.value.message.endswith(": field is immutable")


async def test_policies_cannot_change(api) -> None:
    changed = objects.copy_of(await api.create(JOB_SETS, jobset()))
    changed["spec"]["successPolicy"]["operator"] = "Any"
    with pytest.raises(Invalid, match=r"spec.successPolicy: Invalid value: Value is immutable"):
        await api.update(JOB_SETS, changed)


async def test_a_jobset_may_be_suspended_and_moved_in_one_write(api) -> None:
    changed = objects.copy_of(await api.create(JOB_SETS, jobset()))
    changed["spec"]["suspend"] = True
    pod_spec = changed["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod_spec["nodeSelector"] = {"a": "b"}
    stored = await api.update(JOB_SETS, changed)
    assert stored["metadata"]["generation"] == 2


async def test_a_spec_that_is_taken_away(api) -> None:
    await api.create(JOB_SETS, jobset())
    with pytest.raises(Invalid, match=r"spec\.replicatedJobs: Invalid value: null: field is immutable"):
        await api.patch(JOB_SETS, "js", {"spec": None})
    empty = {**jobset(replicatedJobs=[]), "metadata": {"name": "empty"}}
    await api.create(JOB_SETS, empty)
    assert (await api.patch(JOB_SETS, "empty", {"spec": None}))["spec"] == {}


@pytest.mark.parametrize("template", [{}, {"spec": {"template": {}}}])
async def test_a_template_that_is_taken_away(api, template: Object) -> None:
    await api.create(JOB_SETS, jobset(suspend=True))
    groups = [{"name": "a", "replicas": 1, "groupName": "default", "template": template}]
    with pytest.raises(Invalid, match=r"spec\.replicatedJobs: .*field is immutable"):
        await api.patch(JOB_SETS, "js", {"spec": {"replicatedJobs": groups}})
