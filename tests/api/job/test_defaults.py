import pytest

from sidings.api import objects
from sidings.api.job import defaults
from tests.api.job.jobs import sent, stored

GENERATED = {
    "batch.kubernetes.io/controller-uid": "u",
    "batch.kubernetes.io/job-name": "j",
    "controller-uid": "u",
    "job-name": "j",
}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"completions": 1, "parallelism": 1}),
        ({"parallelism": 3}, {"parallelism": 3}),
        ({"completions": 3}, {"completions": 3, "parallelism": 1}),
        ({"completions": 0, "parallelism": 0}, {"completions": 0, "parallelism": 0}),
    ],
)
def test_completions_and_parallelism(given: dict, expected: dict) -> None:
    spec = stored(**given)["spec"]
    assert {key: spec[key] for key in ("completions", "parallelism") if key in spec} == expected


def test_back_off_limit() -> None:
    assert stored()["spec"]["backoffLimit"] == 6
    assert stored(backoffLimitPerIndex=1)["spec"]["backoffLimit"] == 2147483647
    assert stored(backoffLimit=0)["spec"]["backoffLimit"] == 0


def test_replacement_policy_follows_the_failure_policy() -> None:
    assert stored()["spec"]["podReplacementPolicy"] == "TerminatingOrFailed"
    assert stored(podFailurePolicy={})["spec"]["podReplacementPolicy"] == "Failed"
    rule = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    spec = stored(podFailurePolicy={"rules": [rule]})["spec"]
    assert spec["podReplacementPolicy"] == "Failed"
    assert spec["podFailurePolicy"]["rules"][0]["onPodConditions"][0]["status"] == "True"


def test_the_pods_are_labelled_and_selected_by_the_jobs_uid() -> None:
    job = stored()
    assert objects.labels_of(job["spec"]["template"]) == GENERATED
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}}
    assert objects.labels_of(job) == GENERATED


def test_a_job_without_labels_gets_those_of_its_pods() -> None:
    assert objects.labels_of(stored(pod_labels={"app": "x"})) == {"app": "x", **GENERATED}
    assert objects.labels_of(stored(labels={"own": "1"}, pod_labels={"app": "x"})) == {"own": "1"}


def test_a_manual_selector_is_left_alone() -> None:
    selector = {"matchLabels": {"app": "x"}}
    job = stored(pod_labels={"app": "x"}, manualSelector=True, selector=selector)
    assert job["spec"]["selector"] == selector
    assert objects.labels_of(job["spec"]["template"]) == {"app": "x"}
    assert objects.labels_of(job) == {"app": "x"}


def test_defaults_are_stable() -> None:
    job = stored(completions=2, completionMode="Indexed")
    again = objects.copy_of(job)
    defaults.apply(again)
    assert again == job


def test_a_job_without_a_template_is_left_for_validation() -> None:
    job = sent()
    del job["spec"]["template"]
    defaults.apply(job)
    assert job["spec"]["template"] == {}
