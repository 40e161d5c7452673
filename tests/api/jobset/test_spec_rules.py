"""CEL rules of a JobSet's spec."""

from __future__ import annotations

from sidings.api.jobset import spec_rules
from sidings.api.objects import Object

DEPENDENT = {"name": "b", "dependsOn": [{"name": "a", "status": "Ready"}]}


def errors(spec: Object) -> list[str]:
    return [str(error) for error in spec_rules.check(spec, "spec")]


def test_startup_order_excludes_depends_on() -> None:
    in_order = {"startupPolicyOrder": "InOrder"}
    assert errors({"replicatedJobs": [{"name": "a"}, DEPENDENT], "startupPolicy": in_order}) == [
        "spec: Invalid value: StartupPolicy and DependsOn APIs are mutually exclusive"
    ]
    assert errors({"replicatedJobs": [{"name": "a"}], "startupPolicy": in_order}) == []
    assert errors({"replicatedJobs": [DEPENDENT], "startupPolicy": {"startupPolicyOrder": "AnyOrder"}}) == []


def test_claims_have_no_namespace() -> None:
    policies = [{"templates": [{"metadata": {"name": "a"}}]}, {"templates": [{"metadata": {"namespace": "n"}}]}]
    assert errors({"volumeClaimPolicies": policies}) == [
        "spec.volumeClaimPolicies[1]: Invalid value: namespace cannot be set for VolumeClaimPolicies templates"
    ]
