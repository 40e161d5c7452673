from typing import Any

from sidings.controllers.jobset import volume_claims
from sidings.controllers.jobset.child_job import job_for
from tests.controllers.jobset.cluster import Cluster, group, make_jobset

SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def template(name: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, **metadata}, "spec": SPEC}


POLICIES = [
    {"templates": [template("data", labels={"x": "y"}, annotations={"q": "r"})]},
    {"templates": [template("keep")], "retentionPolicy": {"whenDeleted": "Retain"}},
]


def mounting(name: str, *volumes: str, init: bool = False) -> dict[str, Any]:
    made = group(name)
    pod_spec = made["template"]["spec"]["template"]["spec"]
    mounts = [{"name": volume, "mountPath": f"/{volume}"} for volume in volumes]
    if init:
        pod_spec["initContainers"] = [{"name": "init", "image": "i", "volumeMounts": mounts}]
    else:
        pod_spec["containers"][0]["volumeMounts"] = mounts
    return made


def test_a_claim_for_each_template() -> None:
    data, keep = volume_claims.claims_for(make_jobset(volumeClaimPolicies=POLICIES))
    assert (data["metadata"]["name"], keep["metadata"]["name"]) == ("data-js", "keep-js")
    assert data["metadata"]["labels"] == {"x": "y", "jobset.sigs.k8s.io/jobset-name": "js"}
    assert data["metadata"]["annotations"] == {"q": "r"}
    assert data["spec"] == SPEC


def test_only_what_is_deleted_with_the_jobset_is_owned_by_it() -> None:
    data, keep = volume_claims.claims_for(make_jobset(volumeClaimPolicies=POLICIES))
    assert data["metadata"]["ownerReferences"][0]["uid"] == "js-uid"
    assert "ownerReferences" not in keep["metadata"]


def test_pods_get_the_volumes_that_they_mount() -> None:
    jobset = make_jobset(
        mounting("a", "data", "keep"), mounting("b", "keep", init=True), group("c"), volumeClaimPolicies=POLICIES
    )

    def volumes(index: int) -> list[str]:
        job = job_for(jobset, jobset["spec"]["replicatedJobs"][index], 0)
        found = job["spec"]["template"]["spec"].get("volumes") or []
        return [volume["persistentVolumeClaim"]["claimName"] for volume in found]

    assert [volumes(index) for index in range(3)] == [["data-js", "keep-js"], ["keep-js"], []]


def test_claims_are_made_once_even_while_suspended() -> None:
    cluster = Cluster(make_jobset(volumeClaimPolicies=POLICIES, suspend=True)).settle()
    assert sorted(cluster.claims) == ["data-js", "keep-js"]
