"""TrainJob's own rules (cases A1 to A16 of Trainer 2.3, and what 2.1 has otherwise)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sidings.api.kinds.trainjob import KIND
from sidings.api.objects import Object, copy_of
from tests.trainjobs import patch, pod_patch, train_job


def errors(job: Object) -> list[str]:
    return [str(error) for error in KIND.rules.validate(job)]


def changed(path: str, value: Any, job: Object) -> list[str]:
    """Errors of an update of ``job`` that sets ``path`` below spec; None removes it."""
    new = copy_of(job)
    *parents, last = path.split(".")
    target = new["spec"]
    for parent in parents:
        target = target[parent]
    if value is None:
        del target[last]
    else:
        target[last] = value
    return [str(error) for error in KIND.rules.validate_update(new, job)]


@pytest.mark.parametrize("name", ["valid-trainjob", "a", "a" * 63])
def test_names_that_are_labels_pass(name: str) -> None:
    assert errors(train_job(name=name)) == []


@pytest.mark.parametrize("name", ["1-job", "job-", "Job"])
def test_other_names_are_refused(name: str) -> None:
    assert errors(train_job(name=name)) == ["<nil>: Invalid value: metadata.name must match RFC 1035 DNS label format"]


def test_long_name_is_refused() -> None:
    assert errors(train_job(name="a" * 72)) == [
        "<nil>: Invalid value: metadata.name must be no more than 63 characters"
    ]


@pytest.mark.parametrize("uri", ["", "s3://bucket/path", "hf://x"])
def test_storage_uris_with_a_scheme_pass(uri: str) -> None:
    assert errors(train_job(initializer={"dataset": {"storageUri": uri}, "model": {"storageUri": "gs://x"}})) == []


@pytest.mark.parametrize("uri", ["invalid-uri", "s3://"])
def test_other_storage_uris_are_refused(uri: str) -> None:
    detail = "storageUri may be empty, or it must be a valid URI (scheme://...)"
    assert errors(train_job(initializer={"model": {"storageUri": uri}})) == [
        f'spec.initializer.model.storageUri: Invalid value: "{uri}": {detail}'
    ]


@pytest.mark.parametrize("count", [0, -5])
def test_process_count_is_positive(count: int) -> None:
    assert errors(train_job({"numProcPerNode": count})) == [
        f"spec.trainer.numProcPerNode: Invalid value: {count}: numProcPerNode must be greater than or equal to 1"
    ]


def test_process_count_of_the_old_form_may_be_a_word() -> None:
    assert errors(train_job({"numProcPerNode": "auto"})) == []


def test_managed_by_is_one_of_two() -> None:
    assert errors(train_job(managedBy="kueue.x-k8s.io/multikueue")) == []
    assert errors(train_job(managedBy="me")) == [
        'spec.managedBy: Invalid value: "me": ManagedBy must be trainer.kubeflow.org/trainjob-controller or '
        "kueue.x-k8s.io/multikueue if set"
    ]


def test_trainer_status_needs_its_time() -> None:
    job = train_job() | {"status": {"trainerStatus": {"progressPercentage": 5}}}
    assert errors(job) == [
        "status.trainerStatus: Invalid value: lastUpdatedTime is required when trainerStatus is present"
    ]


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("runtimeRef.name", "other", "spec.runtimeRef: Invalid value: field is immutable"),
        ("trainer.numNodes", 2, "spec.trainer: Invalid value: field is immutable"),
        ("initializer.dataset.storageUri", "hf://b", "spec.initializer: Invalid value: field is immutable"),
        ("activeDeadlineSeconds", 5, "spec.activeDeadlineSeconds: Invalid value: 5: field is immutable"),
        ("managedBy", "x", 'spec.managedBy: Invalid value: "x": field is immutable'),
    ],
)
def test_immutable_fields(path: str, value: Any, text: str) -> None:
    job = train_job({"numNodes": 1}, initializer={"dataset": {"storageUri": "hf://a"}}, activeDeadlineSeconds=9)
    assert changed(path, value, job) == [text]


@pytest.mark.parametrize("field", ["trainer", "initializer", "activeDeadlineSeconds", "managedBy"])
def test_immutable_fields_can_be_removed(field: str) -> None:
    job = train_job({"numNodes": 1}, initializer={"dataset": {}}, activeDeadlineSeconds=9)
    assert changed(field, None, job) == []


def test_patches_of_pods_are_partly_immutable() -> None:
    def patched(**pod_spec: Any) -> list[Object]:
        return [patch(pod_patch(pod_spec))]

    job = train_job(runtimePatches=patched(nodeSelector={"a": "1"}, terminationGracePeriodSeconds=300))
    assert changed("runtimePatches", patched(nodeSelector={"a": "2"}, terminationGracePeriodSeconds=300), job) == []
    path = "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec"
    assert changed("runtimePatches", patched(terminationGracePeriodSeconds=600), job) == [
        f"{path}.terminationGracePeriodSeconds: Invalid value: 600: field is immutable"
    ]


def test_old_form_has_its_own_messages_and_a_mutable_trainer() -> None:
    job = train_job({"numNodes": 1}, labels={"team": "fraud"})
    assert changed("trainer.numNodes", 2, job) == []
    assert changed("runtimeRef.name", "other", job) == ["spec.runtimeRef: Invalid value: runtimeRef is immutable"]
    assert changed("managedBy", "x", job) == ['spec.managedBy: Invalid value: "x": ManagedBy value is immutable']


def test_mixing_both_generations_is_warned_about() -> None:
    overrides = [{"targetJobs": [{"name": "node"}]}]
    assert KIND.rules.warnings(train_job(podTemplateOverrides=overrides), None) == []
    (warning,) = KIND.rules.warnings(train_job(podTemplateOverrides=overrides, runtimePatches=[patch()]), None)
    assert "spec.podTemplateOverrides is of Trainer 2.0/2.1" in warning
    queued = train_job(
        podTemplateOverrides=overrides, runtimePatches=[{**patch(), "manager": "kueue.x-k8s.io/manager"}]
    )
    assert KIND.rules.warnings(queued, None) == []


@pytest.mark.parametrize(
    ("conditions", "told", "shown"),
    [
        ([], "Running", "Running"),
        ([("Suspended", "True")], "Suspended", "Suspended"),
        ([("Suspended", "True")], "Running", "Suspended"),
        ([("Suspended", "True")], "Queued", "Queued"),
        ([("Suspended", "False")], "Running", "Running"),
        ([("Suspended", "False"), ("Complete", "True")], "Queued", "Complete"),
        ([("Suspended", "True")], "", "Suspended"),
    ],
)
def test_the_state_tells_who_suspended_a_job(conditions: list[tuple[str, str]], told: str, shown: str) -> None:
    job = train_job()
    job["metadata"]["annotations"] = {"sidings.dev/state": told} if told else {}
    job["status"] = {"conditions": [{"type": type_, "status": status} for type_, status in conditions]}
    [cell] = [column.cell for column in KIND.columns if column.name == "State"]
    assert cell is not None
    assert cell(job, datetime(2026, 1, 1, tzinfo=UTC)) == shown
