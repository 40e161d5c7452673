"""What the platform's objects report."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sidings.api.objects import Object
from sidings.api.platform import conditions
from tests.api.platform.test_components import cluster, operator

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def said(obj: Object, *operators: Object) -> dict[str, tuple[bool, str, str]]:
    return {state.type: (state.status, state.reason, state.message) for state in conditions.of_cluster(obj, operators)}


def test_ready_and_removed() -> None:
    found = said(cluster(trainer="Managed", trainingoperator="Removed"), operator("Managed"))
    assert found["Ready"][0]
    assert found["TrainerReady"] == (True, "Ready", "")
    assert found["TrainingOperatorReady"] == (False, "Removed", "Component ManagementState is set to Removed")


def test_the_trainer_needs_the_operator_of_jobset() -> None:
    for operators, message in (
        ((), "JobSetOperator CR with name 'cluster' not found, please create it first"),
        (
            (operator("Managed", name="mine"),),
            "JobSetOperator CR found with name 'mine' (expected 'cluster'), please ensure the CR is named 'cluster'",
        ),
    ):
        found = said(cluster(trainer="Managed"), *operators)
        assert found["TrainerReady"] == (False, "Error", message)
        assert found["Ready"] == (False, "Error", message)


def test_kueue_cannot_be_managed() -> None:
    message = "Kueue managementState Managed is not supported, please use Removed or Unmanaged"
    assert said(cluster(kueue="Managed"))["KueueReady"] == (False, "Error", message)
    assert said(cluster(kueue="Unmanaged"))["Ready"][0]


def test_components_that_are_not_here_do_not_count() -> None:
    found = said(cluster(dashboard="Managed"))
    assert found["DashboardReady"][:2] == (False, "NotAvailable")
    assert found["Ready"][0]


def test_status_of_a_cluster() -> None:
    obj = cluster(trainer="Managed")
    obj["metadata"]["generation"] = 3
    status = conditions.cluster_status(obj, conditions.of_cluster(obj, [operator("Managed")]), "1.0", NOW)
    assert (status["phase"], status["observedGeneration"]) == ("Ready", 3)
    assert status["components"] == {"trainer": {"managementState": "Managed"}}


def test_a_condition_keeps_its_time_while_it_says_the_same() -> None:
    obj = operator("Managed")
    obj["status"] = {"conditions": conditions.timed(obj, conditions.of_job_set_operator(obj), NOW)}
    later = NOW + timedelta(hours=1)
    assert conditions.timed(obj, conditions.of_job_set_operator(obj), later) == obj["status"]["conditions"]
    obj["spec"]["managementState"] = "Removed"
    available = conditions.timed(obj, conditions.of_job_set_operator(obj), later)[0]
    assert available["reason"] == "DeploymentUnavailable"
    assert available["lastTransitionTime"] == "2026-01-01T01:00:00Z"


def test_kueue_operator() -> None:
    assert [state.status for state in conditions.of_kueue_operator(operator("Managed"))] == [True, False, False, True]
    assert conditions.of_kueue_operator(operator("Removed"))[0].message == "0/1 replicas are ready"
