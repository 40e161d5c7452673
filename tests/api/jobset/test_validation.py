from typing import Any

import pytest

from sidings.api.feature_gates import ALL
from sidings.api.jobset import validation
from sidings.api.objects import Object
from tests.api.jobset.jobsets import group, jobset

A63 = "a" * 63
INTERNAL = "<nil>: Internal error: "
DNS1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def complaints(*groups: Object, name: str = "js", **spec: Any) -> list[str]:
    return [str(error) for error in validation.errors(jobset(*groups, name=name, **spec))]


def rule(**fields: Any) -> dict[str, Any]:
    return {"failurePolicy": {"rules": [{"action": "FailJobSet", "name": "ok", **fields}]}}


def test_a_good_jobset() -> None:
    assert complaints(group("a"), group("b", dependsOn=[{"name": "a", "status": "Ready"}])) == []


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            {"failurePolicy": {"restartStrategy": "InPlaceRestart"}},
            "InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is disabled",
        ),
        (
            {"successPolicy": {"operator": "All", "targetReplicatedJobs": ["zz"]}},
            "invalid replicatedJob name 'zz' does not appear in .spec.ReplicatedJobs",
        ),
        (
            rule(action="RestartJob", name="1bad"),
            "RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions are not allowed when RestartJob "
            "feature gate is disabled",
        ),
        (
            rule(name="1a"),
            "invalid failure policy rule name '1a', a failure policy rule name must start with an alphabetic "
            "character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an "
            "alphanumeric character or '_'",
        ),
        (
            rule(name="a" * 129),
            "invalid failure policy rule name of length 129, the rule name must be at least 1 characters long and at "
            "most 128 characters long",
        ),
        (
            rule(onJobFailureReasons=["foo"]),
            "invalid job failure reason 'foo' in failure policy is not a recognized job failure reason",
        ),
        (
            rule(targetReplicatedJobs=["z"]),
            "invalid replicatedJob name 'z' in failure policy does not appear in .spec.ReplicatedJobs",
        ),
        (
            {
                "failurePolicy": {
                    "rules": [{"action": "FailJobSet", "name": "x"}, {"action": "RestartJobSet", "name": "x"}]
                }
            },
            "rule names are not unique, rules with indices [0 1] all have the same name 'x'",
        ),
        ({"coordinator": {"replicatedJob": "z"}}, "coordinator replicatedJob z does not exist"),
        (
            {"coordinator": {"replicatedJob": "a", "jobIndex": 5}},
            "coordinator job index 5 is invalid for replicatedJob a",
        ),
        (
            {"coordinator": {"replicatedJob": "a", "podIndex": 5}},
            "coordinator pod index 5 is invalid for replicatedJob a job index 0",
        ),
    ],
)
def test_messages_without_a_path(spec: dict[str, Any], message: str) -> None:
    assert complaints(**spec) == [INTERNAL + message]


def test_the_coordinators_job_must_be_indexed_and_sized() -> None:
    message = "job for coordinator pod must be indexed completion mode, and completions number must be set"
    for unsized in (group(job_completions=None), group(job_completionMode="NonIndexed")):
        assert complaints(unsized, coordinator={"replicatedJob": "a"}) == [INTERNAL + message]


def test_the_coordinators_name_must_be_a_label_value() -> None:
    (error,) = complaints(coordinator={"replicatedJob": "a"}, network={"subdomain": "a" * 60})
    assert error.startswith(f'{INTERNAL}spec will lead to invalid label value "js-a-0-0.{"a" * 60}" for coordinator')
    assert error.endswith("(long JobSet / ReplicatedJob / SubDomain name?): must be no more than 63 bytes")


@pytest.mark.parametrize(
    ("name", "made", "messages"),
    [
        ("a" * 62, group(replicas=101), ["job names", "pod names"]),
        ("a" * 56, group(), ["pod names"]),
        ("a" * 56, group(job_completions=None), []),
        ("a" * 56, group(job_completionMode="NonIndexed"), []),
    ],
)
def test_generated_names_must_fit(name: str, made: Object, messages: list[str]) -> None:
    found = complaints(made, name=name)
    assert len(found) == len(messages)
    for error, what in zip(found, messages, strict=True):
        assert error.startswith("spec.replicatedJobs[0].name: Invalid value: ")
        assert error.endswith(f"{what} generated for this JobSet will exceed 63 characters")


def test_generated_names_must_be_labels() -> None:
    path = 'spec.replicatedJobs[0].name: Invalid value: "js-username.llama65b-0": '
    assert complaints(group("username.llama65b")) == [path + DNS1035] * 2


def test_a_dependency_must_come_earlier() -> None:
    first = complaints(group("a", dependsOn=[{"name": "b", "status": "Ready"}]), group("b"))
    assert first == [
        INTERNAL + "DependsOn can't be set for the first ReplicatedJob",
        INTERNAL + "replicatedJob: a cannot depend on replicatedJob: b",
    ]
    assert complaints(group("a"), group("b", dependsOn=[{"name": "b", "status": "Ready"}])) == []


@pytest.mark.parametrize(("subdomain", "count"), [("net", 0), ("a" * 64, 1), ("a.b", 1), ("ABC", 2)])
def test_subdomain(subdomain: str, count: int) -> None:
    found = complaints(network={"subdomain": subdomain})
    assert len(found) == count
    assert all(error.startswith("spec.network.subdomain: Invalid value: ") for error in found)


@pytest.mark.parametrize(
    ("manager", "messages"),
    [
        ("acme.io/foo", []),
        ("other", ['Invalid value: "other": must be a domain-prefixed path (such as "acme.io/foo")']),
        (f"a.io/{A63}", ["Too long: may not be more than 63 bytes"]),
    ],
)
def test_managed_by(manager: str, messages: list[str]) -> None:
    assert complaints(managedBy=manager) == [f"spec.managedBy: {message}" for message in messages]


def test_replicas_times_parallelism_must_fit_an_int32() -> None:
    assert complaints(group(replicas=2**31 - 1, job_parallelism=2**31 - 1, job_completions=None)) == [
        f"{INTERNAL}the product of replicas and parallelism must not exceed 2147483647 for replicatedJob 'a'"
    ]


def claims(*names: str) -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"volumeClaimPolicies": [{"templates": [{"metadata": {"name": name}, "spec": spec}]} for name in names]}


@pytest.mark.parametrize(
    ("made", "names", "error"),
    [
        (group(mounts=("v",)), ("v", "v"), "spec.volumeClaimPolicies[1].template[0].name: "),
        (group(mounts=("V",)), ("V",), "spec.volumeClaimPolicies[0].template[0].name: "),
        (group(mounts=("v" * 62,)), ("v" * 62,), "spec.volumeClaimPolicies[0].template[0].name: "),
        (group(), ("v",), "spec.replicatedJobs: "),
        (
            group(mounts=("v",), pod={"volumes": [{"name": "v", "emptyDir": {}}]}),
            ("v",),
            "spec.replicatedJobs[0].template.spec.template.spec.volumes[0].name: ",
        ),
    ],
)
def test_claims(made: Object, names: tuple[str, ...], error: str) -> None:
    (found,) = complaints(made, **claims(*names))
    assert found.startswith(error)


def test_good_claims() -> None:
    assert complaints(group(mounts=("v", "w")), **claims("v", "w")) == []


def with_gates(*groups: Object, **spec: Any) -> list[str]:
    return [str(error) for error in validation.errors(jobset(*groups, **spec), ALL)]


def test_rules_may_restart_single_jobs_with_the_gate() -> None:
    assert with_gates(group("a"), **rule(action="RestartJob")) == []
    assert with_gates(group("a", replicas=1025), **rule(action="RestartJob")) == [
        INTERNAL + "JobSet cannot have a failure policy rule with RestartJob or RestartJobAndIgnoreMaxRestarts action "
        "and a replicated job with replicas > 1024"
    ]


def test_in_place_restart_wants_jobs_that_do_not_interfere() -> None:
    policy = {"failurePolicy": {"restartStrategy": "InPlaceRestart"}}
    path, name = "spec.replicatedJobs[0].template.spec", "replicatedJob a"
    assert with_gates(group("a"), **policy)[:2] == [
        f"{path}.backoffLimit: Invalid value: null: {name}: must be set to 2147483647 (MaxInt32) when in-place restart "
        "is enabled",
        f"{path}.podReplacementPolicy: Invalid value: null: {name}: must be set to Failed when in-place restart "
        "is enabled",
    ]
    good = group("a")
    good["template"]["spec"] |= {"backoffLimit": 2147483647, "podReplacementPolicy": "Failed"}
    good["template"]["spec"] |= {"completions": 2, "parallelism": 2}
    assert with_gates(good, **policy) == []
    good["template"]["spec"]["completions"] = 3
    assert with_gates(good, **policy) == [
        f"{path}.completions: Invalid value: 3: {name}: completions and parallelism must be set and equal to each "
        "other when in-place restart is enabled"
    ]
