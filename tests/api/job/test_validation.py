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
            'spec.completionMode: Unsupported value: "X": supported values: "Indexed", "NonIndexed"',
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
    job["spec"]["template"]["metadata"]["labels"]["batch.kubernetes.io/job-name"] = "n" * 61
    (error,) = validation.errors(job)
    assert str(error).endswith(f"will not able to create pod with invalid DNS label: {'n' * 61}-10")


def test_a_selector_that_was_not_generated() -> None:
    job = stored()
    job["spec"]["selector"]["matchLabels"]["a"] = "b"
    assert [error.field for error in validation.errors(job)] == ["spec.selector", "spec.template.metadata.labels"]


def test_a_good_job() -> None:
    assert complaints() == []
    assert complaints(**indexed(backoffLimitPerIndex=1, maxFailedIndexes=2), managedBy="acme.io/foo") == []
