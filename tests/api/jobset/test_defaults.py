from sidings.api.jobset import defaults
from sidings.api.kinds.jobset import SCHEMA
from tests.api.jobset.jobsets import group, jobset


def test_policies() -> None:
    spec = jobset()["spec"]
    assert spec["successPolicy"] == {"operator": "All"}
    assert spec["startupPolicy"] == {"startupPolicyOrder": "AnyOrder"}
    assert spec["network"] == {"enableDNSHostnames": True, "publishNotReadyAddresses": True}
    assert "failurePolicy" not in spec


def test_what_is_set_stays() -> None:
    spec = jobset(network={"enableDNSHostnames": False}, successPolicy={"operator": "Any"})["spec"]
    assert spec["network"] == {"enableDNSHostnames": False, "publishNotReadyAddresses": True}
    assert spec["successPolicy"] == {"operator": "Any"}


def test_replicated_jobs() -> None:
    made = group()
    del made["template"]["spec"]["template"]["spec"]["restartPolicy"]
    (stored,) = jobset(made)["spec"]["replicatedJobs"]
    assert stored["groupName"] == "default"
    assert stored["template"]["spec"]["completionMode"] == "Indexed"
    assert stored["template"]["spec"]["template"]["spec"]["restartPolicy"] == "OnFailure"
    assert "backoffLimit" not in stored["template"]["spec"]


def test_rules_without_a_name_are_numbered() -> None:
    rules = [{"action": "FailJobSet", "name": "mine"}, {"action": "FailJobSet"}]
    policy = jobset(failurePolicy={"rules": rules})["spec"]["failurePolicy"]
    assert [rule["name"] for rule in policy["rules"]] == ["mine", "failurePolicyRule1"]
    assert policy["restartStrategy"] == "Recreate"


def test_claims_are_deleted_with_the_jobset() -> None:
    made = jobset(volumeClaimPolicies=[{"templates": []}, {"retentionPolicy": {"whenDeleted": "Retain"}}])
    policies = made["spec"]["volumeClaimPolicies"]
    assert [policy["retentionPolicy"] for policy in policies] == [{"whenDeleted": "Delete"}, {"whenDeleted": "Retain"}]


def test_what_go_always_encodes_appears() -> None:
    made = jobset()
    template = made["spec"]["replicatedJobs"][0]["template"]
    assert template["metadata"] == {}
    assert template["spec"]["template"]["metadata"] == {}
    assert template["spec"]["template"]["spec"]["containers"][0]["resources"] == {}
    assert "status" not in made


def test_missing_required_fields_get_their_zero_value() -> None:
    broken = {"spec": {"successPolicy": {}, "replicatedJobs": [{"template": {"spec": {"template": {"spec": {}}}}}]}}
    defaults.encode(broken, SCHEMA)
    assert broken["spec"]["successPolicy"] == {"operator": ""}
    (replicated_job,) = broken["spec"]["replicatedJobs"]
    assert replicated_job["name"] == ""  # type: ignore[comparison-overlap]
    assert replicated_job["template"]["spec"]["template"]["spec"]["containers"] is None


def test_defaults_are_stable() -> None:
    made = jobset()
    again = jobset(*made["spec"]["replicatedJobs"])
    assert again == made
