"""What Go's encoder adds to a template."""

from __future__ import annotations

from sidings.api.objects import copy_of
from sidings.api.trainer import encoding, runtimes
from tests.trainjobs import replicated_job, runtime


def test_structs_that_nobody_set() -> None:
    spec = {"volumeClaimPolicies": [{"templates": [{"spec": {"accessModes": ["ReadWriteOnce"]}}]}]}
    template = runtimes.template_of(runtime(replicated_job(pod_spec={"initContainers": [{"name": "i"}]}), **spec))
    before = copy_of(template)
    encoded = encoding.encoded_template(template)
    assert template == before, "the given template is shared"
    assert encoded["metadata"] == {}
    (job,) = encoded["spec"]["replicatedJobs"]
    assert job["template"]["metadata"] == {}
    pods = job["template"]["spec"]["template"]
    assert pods["metadata"] == {}
    assert [c["resources"] for c in pods["spec"]["containers"] + pods["spec"]["initContainers"]] == [{}, {}]
    (claim,) = encoded["spec"]["volumeClaimPolicies"][0]["templates"]
    assert claim == {
        "metadata": {},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {}},
        "status": {},
    }


def test_containers_are_never_left_out() -> None:
    encoded = encoding.encoded_template({"spec": {"replicatedJobs": [{"name": "x"}]}})
    assert encoded["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"] == {"containers": None}


def test_quantities_become_canonical_and_empty_lists_go() -> None:
    given = {"limits": {"nvidia.com/gpu": 2, "cpu": "1000m"}, "requests": {}}
    assert encoding.encoded_resources(given) == {"limits": {"nvidia.com/gpu": "2", "cpu": "1"}}
