from sidings.answers.conversion import run_policy
from tests.answers.conversion.jobs import fields_of


def test_nothing_said_is_nothing_needed():
    assert run_policy.limits({}, "OnFailure") == ({}, {}, {}, {})
    assert list(run_policy.findings({}, "Never")) == []


def test_a_job_gives_up_where_v1_never_did():
    assert fields_of(list(run_policy.findings({}, "OnFailure"))) == ["changed restartPolicy"]
    assert fields_of(list(run_policy.findings({"backoffLimit": 3}, "OnFailure"))) == [
        "changed spec.runPolicy.backoffLimit"
    ]


def test_each_limit_finds_its_object():
    policy = {
        "suspend": True,
        "activeDeadlineSeconds": 60,
        "ttlSecondsAfterFinished": 30,
        "backoffLimit": 3,
        "managedBy": "kubeflow.org/training-operator",
    }
    assert run_policy.limits(policy, "OnFailure") == (
        {"suspend": True, "activeDeadlineSeconds": 60, "managedBy": "trainer.kubeflow.org/trainjob-controller"},
        {"ttlSecondsAfterFinished": 30},
        {"backoffLimit": 3},
        {},
    )
    assert fields_of(list(run_policy.findings(policy, "OnFailure"))) == [
        "changed spec.runPolicy.activeDeadlineSeconds",
        "changed spec.runPolicy.ttlSecondsAfterFinished",
        "changed spec.runPolicy.backoffLimit",
    ]


def test_never_means_that_the_first_failure_is_the_last():
    limits = run_policy.limits({}, "Never")
    assert (limits.pod, limits.job) == ({"restartPolicy": "Never"}, {"backoffLimit": 0})


def test_exit_codes_become_a_pod_failure_policy():
    limits = run_policy.limits({}, "ExitCode")
    (rule,) = limits.job["podFailurePolicy"]["rules"]
    assert rule["action"] == "FailJob"
    assert (rule["onExitCodes"]["values"][0], rule["onExitCodes"]["values"][-1]) == (1, 127)
    assert limits.pod == {"restartPolicy": "Never"}


def test_what_has_no_successor_is_named():
    policy = {"cleanPodPolicy": "All", "schedulingPolicy": {"queue": "q", "minAvailable": 2}}
    assert fields_of(list(run_policy.findings(policy, "Always"))) == [
        "changed restartPolicy",
        "lost spec.runPolicy.cleanPodPolicy",
        "lost spec.runPolicy.schedulingPolicy.minAvailable",
        "lost spec.runPolicy.schedulingPolicy.queue",
        "changed restartPolicy",
    ]
