from typing import Any

import pytest

from sidings.api.job import validation
from tests.api.job.jobs import stored


def complaints(**spec: Any) -> list[str]:
    return [str(error) for error in validation.errors(stored(**spec))]


def indexed(completions: int | None = 3, **spec: Any) -> dict[str, Any]:
    return (
        {"completionMode": "Indexed", "parallelism": 1}
        | ({"completions": completions} if completions is not None else {})
        | spec
    )


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ({"parallelism": -1}, "spec.parallelism: Invalid value: -1: must be greater than or equal to 0"),
        ({"backoffLimit": -1}, "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0"),
        (indexed(None), "spec.completions: Required value: when completion mode is Indexed"),
        (
            {"completionMode": "X"},
            'spec.completionMode: Unsupported value: "X": supported values: "NonIndexed", "Indexed"',
        ),
        ({"backoffLimitPerIndex": 1}, "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"),
        (
            indexed(maxFailedIndexes=1),
            "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
        ),
        (
            indexed(maxFailedIndexes=4, backoffLimitPerIndex=1),
            "spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions",
        ),
        (
            indexed(100_001, backoffLimitPerIndex=1),
            "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
        ),
        (
            indexed(parallelism=100_001),
            "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is "
            "Indexed",
        ),
        (
            {"managedBy": "x"},
            'spec.managedBy: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")',
        ),
        ({"managedBy": "a.io/" + "x" * 60}, "spec.managedBy: Too long: may not be more than 63 bytes"),
    ],
)
def test_one_complaint(spec: dict[str, Any], complaint: str) -> None:
    assert complaints(**spec) == [complaint]


def test_many_indexes_fail_and_run_in_small_numbers() -> None:
    found = complaints(**indexed(100_001, backoffLimitPerIndex=1, maxFailedIndexes=10_001, parallelism=10_001))
    when = "when completions are above 100000 and used with backoff limit per index"
    assert found == [
        f"spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 {when}",
        f"spec.maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 {when}",
    ]
    found = complaints(**indexed(200_000, backoffLimitPerIndex=1, maxFailedIndexes=100_001))
    assert found == [
        "spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000",
        f"spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 10000 {when}",
    ]


@pytest.mark.parametrize(
    ("policy", "complaint"),
    [
        (None, 'Required value: valid values: "OnFailure", "Never"'),
        ("Always", 'Required value: valid values: "OnFailure", "Never"'),
        ("OnFailure", None),
        ("Never", None),
    ],
)
def test_restart_policy(policy: str | None, complaint: str | None) -> None:
    job = stored()
    job["spec"]["template"]["spec"]["restartPolicy"] = policy or "Always"
    found = [error.text for error in validation.errors(job) if error.field == "spec.template.spec.restartPolicy"]
    assert found == ([complaint] if complaint else [])


def test_a_failure_policy_needs_pods_that_are_not_restarted() -> None:
    job = stored(podFailurePolicy={"rules": []})
    job["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure"
    assert [str(error) for error in validation.errors(job)] == [
        'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy '
        "is specified"
    ]


def test_the_name_of_the_last_pod_must_be_a_label() -> None:
    job = stored(**indexed(11))
    job["metadata"]["name"] = "n" * 61
    for key in ("batch.kubernetes.io/job-name", "job-name"):
        job["spec"]["template"]["metadata"]["labels"][key] = "n" * 61
    (error,) = validation.errors(job)
    assert str(error).endswith(f"will not able to create pod with invalid DNS label: {'n' * 61}-10")


def test_a_selector_that_was_not_generated() -> None:
    job = stored()
    job["spec"]["selector"]["matchLabels"]["a"] = "b"
    assert [error.field for error in validation.errors(job)] == ["spec.selector", "spec.template.metadata.labels"]


def test_a_job_made_of_another_ones_manifest() -> None:
    """What ran before left its labels and its selector."""
    left = {"batch.kubernetes.io/controller-uid": "x", "controller-uid": "x", "job-name": "before", "app": "a"}
    job = stored(pod_labels=left, selector={"matchLabels": {"batch.kubernetes.io/controller-uid": "x"}})
    kept = {**left, "batch.kubernetes.io/job-name": "j"}
    assert job["spec"]["template"]["metadata"]["labels"] == kept
    assert [(error.field, error.text.rpartition(": ")[2]) for error in validation.errors(job)] == [
        ("spec.template.metadata.labels[controller-uid]", "must be 'u'"),
        ("spec.template.metadata.labels[job-name]", "must be 'j'"),
        ("spec.template.metadata.labels[batch.kubernetes.io/controller-uid]", "must be 'u'"),
        ("spec.selector", "`selector` not auto-generated"),
    ]


def test_a_label_that_was_generated_and_went() -> None:
    job = stored()
    del job["spec"]["template"]["metadata"]["labels"]["job-name"]
    (error,) = validation.errors(job)
    assert str(error) == "spec.template.metadata.labels[job-name]: Required value: must be 'j'"


def test_a_selector_may_ask_for_less_than_was_generated() -> None:
    expressions = [{"key": "job-name", "operator": "Exists"}]
    assert complaints(selector={"matchExpressions": expressions}) == []


def test_what_pods_are_labelled_with() -> None:
    job = stored(pod_labels={"a b": "c d"})
    job["spec"]["template"]["metadata"]["annotations"] = {"e f": ""}
    job["spec"]["template"]["spec"]["ephemeralContainers"] = [{"name": "debug", "image": "img:1"}]
    assert [error.field for error in validation.errors(job)] == [
        "spec.template.labels",
        "spec.template.labels",
        "spec.template.annotations",
        "spec.template.spec.ephemeralContainers",
    ]


def test_a_good_job() -> None:
    assert complaints() == []
    assert complaints(**indexed(backoffLimitPerIndex=1, maxFailedIndexes=2), managedBy="acme.io/foo") == []
