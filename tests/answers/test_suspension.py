import pytest

from sidings.answers import suspension
from tests.answers.objects import condition, workload


def root(api_version, kind, **spec):
    return {"apiVersion": api_version, "kind": kind, "spec": spec}


@pytest.mark.parametrize(
    ("job", "suspended"),
    [
        (root("batch/v1", "Job", suspend=True), True),
        (root("batch/v1", "Job"), False),
        (root("kubeflow.org/v1", "PyTorchJob", runPolicy={"suspend": True}), True),
        (root("kubeflow.org/v1", "PyTorchJob", suspend=True), False),
        (root("kubeflow.org/v1", "PyTorchJob"), False),
    ],
)
def test_where_a_job_says_that_it_is_suspended(job, suspended):
    assert suspension.is_suspended(job) is suspended


def test_the_patch_goes_to_the_same_place():
    assert suspension.change(root("jobset.x-k8s.io/v1alpha2", "JobSet"), True) == {"spec": {"suspend": True}}
    assert suspension.change(root("kubeflow.org/v1", "JAXJob"), False) == {"spec": {"runPolicy": {"suspend": False}}}


def test_a_job_in_a_queue_is_stopped_by_its_workload():
    job = root("batch/v1", "Job", suspend=True)
    assert suspension.is_stopped(job, None)
    assert not suspension.is_stopped(job, {"spec": {"queueName": "lq"}})
    assert suspension.is_stopped(job, {"spec": suspension.change_in_queue(True)["spec"]})


NO_QUOTA = condition("QuotaReserved", "ExceedsMaxQuota", "6 > 4", status="False")


def of(*conditions, **fields):
    return workload(root_of_queue(), *conditions, **fields)


def root_of_queue():
    return {**root("batch/v1", "Job", suspend=True), "metadata": {"name": "j", "uid": "u"}}


def test_a_job_waits_in_a_queue_while_its_workload_is_active():
    assert suspension.waits_in_queue(of(NO_QUOTA))
    assert not suspension.waits_in_queue(of(NO_QUOTA, active=False))
    assert not suspension.waits_in_queue(None)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ((), ""),
        ((condition("QuotaReserved", "QuotaReserved", "Quota reserved"),), ""),
        ((NO_QUOTA,), "ExceedsMaxQuota: 6 > 4"),
        (
            (condition("QuotaReserved"), condition("Admitted", "UnsatisfiedAdmissionChecks", "not ready", "False")),
            "UnsatisfiedAdmissionChecks: not ready",
        ),
        (
            (NO_QUOTA, condition("Evicted", "Preempted", "Preempted to accommodate a workload")),
            "ExceedsMaxQuota: 6 > 4; evicted before: Preempted to accommodate a workload",
        ),
        ((NO_QUOTA, condition("Evicted", "Preempted", "long ago", status="False")), "ExceedsMaxQuota: 6 > 4"),
    ],
)
def test_why_it_waits_is_what_the_workload_says(found, why):
    assert suspension.why_it_waits(of(*found)) == why


def test_time_that_is_used_up_is_told_by_the_eviction_of_a_workload_that_is_still_deactivated():
    used = condition("Evicted", "DeactivatedDueToMaximumExecutionTimeExceeded", "exceeding the maximum execution time")
    by_hand = condition("Evicted", "Deactivated", "The workload is deactivated")
    assert suspension.has_used_its_time(of(used, active=False))
    assert not suspension.has_used_its_time(of(used))
    assert not suspension.has_used_its_time(of(by_hand, active=False))
    assert not suspension.has_used_its_time(of(active=False))
