"""The rules of runtimes that need nothing else (cases A23, A24 of Trainer 2.3, and 2.1's)."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.kinds.training_runtime import KINDS
from sidings.api.objects import Object, copy_of
from tests.trainjobs import replicated_job, runtime, trainer_job

RULES = KINDS[0].rules


def errors(obj: Object) -> list[str]:
    return [str(error) for error in RULES.validate(obj)]


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        ({"torch": {}, "mpi": {}}, "spec.mlPolicy: Invalid value: Only one of the policy can be configured"),
        (
            {"numNodes": 2, "torch": {"elasticPolicy": {"minNodes": 1}}},
            "spec.mlPolicy: Invalid value: numNodes should not be set if torch.elasticPolicy is configured",
        ),
        (
            {"mpi": {"numProcPerNode": 0}},
            "spec.mlPolicy.mpi.numProcPerNode: Invalid value: 0: NumProcPerNode in mpiPolicy must be >= 1",
        ),
        (
            {"flux": {"numProcPerNode": 0}},
            "spec.mlPolicy.flux.numProcPerNode: Invalid value: 0: NumProcPerNode in fluxPolicy must be >= 1",
        ),
        (
            {"torch": {"numProcPerNode": "many"}},
            'spec.mlPolicy.torch.numProcPerNode: Invalid value: "many": NumProcPerNode must be equal to auto, cpu, '
            "gpu, or int value",
        ),
        (
            {"torch": {"envInjection": {"targets": [{"jobName": "node", "containerNames": ["x", "node"]}]}}},
            "spec.mlPolicy.torch.envInjection.targets[0].containerNames: Invalid value: containerNames must not "
            "include the main node container because PET_* envs are always injected into it",
        ),
    ],
)
def test_refused_policies(policy: Object, text: str) -> None:
    assert errors(runtime(policy=policy)) == [text]


@pytest.mark.parametrize("count", ["auto", "cpu", "gpu", 4])
def test_process_counts_of_the_old_form(count: Any) -> None:
    assert errors(runtime(policy={"numNodes": 1, "torch": {"numProcPerNode": count}})) == []


def test_startup_order_excludes_depends_on() -> None:
    dependent = replicated_job("b") | {"dependsOn": [{"name": "node", "status": "Ready"}]}
    obj = runtime(trainer_job(), dependent, startupPolicy={"startupPolicyOrder": "InOrder"})
    assert errors(obj) == ["spec.template.spec: Invalid value: StartupPolicy and DependsOn APIs are mutually exclusive"]


def test_claims_have_no_namespace() -> None:
    obj = runtime(volumeClaimPolicies=[{"templates": [{"metadata": {"name": "a", "namespace": "b"}}]}])
    assert errors(obj) == [
        "spec.template.spec.volumeClaimPolicies[0]: Invalid value: namespace cannot be set for VolumeClaimPolicies "
        "templates"
    ]


def test_embedded_policies_are_immutable() -> None:
    old = runtime(network={"subdomain": "a"})
    new = copy_of(old)
    new["spec"]["template"]["spec"]["network"]["subdomain"] = "b"
    assert [str(error) for error in RULES.validate_update(new, old)] == [
        "spec.template.spec.network: Invalid value: Value is immutable"
    ]
