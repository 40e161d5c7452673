"""Kueue's configuration as administrators write it."""

from __future__ import annotations

import pytest

from sidings.api.kueue import configuration
from sidings.api.kueue.configuration import Configuration, ConfigurationError, Retention
from sidings.api.kueue.frameworks import External
from sidings.api.resources import JOB_SETS, JOBS

HEAD = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"


def test_without_a_config_map_defaults_hold() -> None:
    found = configuration.of_config_map(None)
    assert found == Configuration()
    assert found.wait_for_pods_ready.timeout == 1800
    assert found.management.covers({"kubernetes.io/metadata.name": "team"})
    assert not found.management.covers({"kubernetes.io/metadata.name": "kube-system"})


def test_what_changes_decisions_is_read_and_the_rest_accepted() -> None:
    text = HEAD + (
        "health: {healthProbeBindAddress: ':8081'}\n"
        "manageJobsWithoutQueueName: true\n"
        "managedJobsNamespaceSelector: {matchLabels: {kueue.openshift.io/managed: 'true'}}\n"
        "waitForPodsReady:\n"
        "  timeout: 1m30s\n"
        "  blockAdmission: true\n"
        "  requeuingStrategy: {backoffBaseSeconds: 10, backoffLimitCount: 3}\n"
        "fairSharing: {preemptionStrategies: [LessThanInitialShare]}\n"
        "objectRetentionPolicies: {workloads: {afterFinished: 1h, afterDeactivatedByKueue: 0s}}\n"
        "integrations:\n"
        "  frameworks: [batch/job, ray.io/rayjob]\n"
        "  externalFrameworks: [Batch.v1.example.com]\n"
        "  labelKeysToCopy: [team]\n"
    )
    found = configuration.of_config_map({"data": {configuration.KEY: text}})
    assert found.management.without_queue_name
    assert not found.management.covers({"kubernetes.io/metadata.name": "team"})
    assert found.management.frameworks.hold(JOBS)
    assert not found.management.frameworks.hold(JOB_SETS)
    assert found.management.frameworks.external == {External("Batch", "v1", "example.com")}
    assert found.management.labels_to_copy({"metadata": {"labels": {"team": "a", "x": "y"}}}) == {"team": "a"}
    assert found.retention == Retention(3600.0, 0.0)
    assert Configuration().retention == Retention(None, None)
    waiting = found.wait_for_pods_ready
    assert (waiting.timeout, waiting.recovery_timeout, waiting.block_admission) == (90, 90, True)
    assert [waiting.backoff.delay(count) for count in (1, 2, 3)] == [10, 20, 40]
    assert waiting.backoff.limit == 3
    assert (found.fair_sharing.enabled, found.fair_sharing.strategies) == (True, ("LessThanInitialShare",))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a: [", "not valid YAML"),
        ("kind: Other\n", "a Configuration of config.kueue.x-k8s.io is expected"),
        (HEAD + "waitForPodsReady: {timeout: soon}", "waitForPodsReady.timeout: 'soon' is no duration"),
        (HEAD + "manageJobsWithoutQueueName: 3", "manageJobsWithoutQueueName: true or false is expected"),
        (HEAD + "fairSharing: {preemptionStrategies: [Luck]}", "'Luck' is none of"),
        (HEAD + "integrations: {frameworks: [jobs]}", "integrations.frameworks: 'jobs' is none of batch/job, "),
        (HEAD + "integrations: {externalFrameworks: [Batch]}", "integrations.externalFrameworks: 'Batch' must have"),
        (HEAD + "integrations: {labelKeysToCopy: team}", "integrations.labelKeysToCopy: a list of strings is expected"),
        (HEAD + "integrations: [batch/job]", "integrations: a mapping is expected"),
    ],
)
def test_what_makes_no_sense_is_said_with_its_path(text: str, complaint: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        configuration.parse(text)
    assert complaint in str(error.value)
