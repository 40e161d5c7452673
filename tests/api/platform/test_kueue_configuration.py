"""The operator's words in Kueue's configuration, read back the way Kueue reads it."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.kueue import configuration
from sidings.api.kueue.configuration import Configuration
from sidings.api.kueue.frameworks import External
from sidings.api.platform.kueue_configuration import FRAMEWORKS, config_map
from sidings.api.resources import JOBS, TRAIN_JOBS


def read(**config: Any) -> Configuration:
    wanted = {"integrations": {"frameworks": list(FRAMEWORKS)}, **config}
    return configuration.of_config_map(
        config_map({"metadata": {"name": "cluster", "uid": "u"}, "spec": {"config": wanted}})
    )


def test_only_labelled_namespaces_are_managed() -> None:
    found = read()
    assert found.management.covers({"kueue.openshift.io/managed": "true"})
    assert not found.management.covers({"kueue.openshift.io/managed": "yes"})
    assert not found.management.covers({})
    assert not found.management.without_queue_name
    assert found.wait_for_pods_ready == Configuration().wait_for_pods_ready
    assert not found.fair_sharing.enabled


def test_an_operator_without_config_has_the_same_defaults() -> None:
    made = config_map({"metadata": {"name": "cluster", "uid": "u"}, "spec": {}})
    assert configuration.of_config_map(made) == read()
    assert made["metadata"]["ownerReferences"][0]["kind"] == "Kueue"


def test_jobs_without_a_queue_and_fair_sharing() -> None:
    found = read(workloadManagement={"labelPolicy": "None"}, preemption={"preemptionPolicy": "FairSharing"})
    assert found.management.without_queue_name
    assert found.fair_sharing.enabled


@pytest.mark.parametrize(("admission", "blocks"), [("Parallel", False), ("Sequential", True)])
def test_gangs_by_workload(admission: str, blocks: bool) -> None:
    gang = {"admission": admission, "timeoutSeconds": 90, "requeuingStrategy": {"backoffLimitCount": 2}}
    waiting = read(gangScheduling={"policy": "ByWorkload", "byWorkload": gang}).wait_for_pods_ready
    assert (waiting.timeout, waiting.recovery_timeout, waiting.block_admission) == (90, 90, blocks)
    assert waiting.backoff.limit == 2


def test_without_gangs_pods_have_a_year() -> None:
    assert read(gangScheduling={"policy": "None"}).wait_for_pods_ready.timeout == 365 * 24 * 3600


def test_kinds_that_are_not_listed_are_not_managed() -> None:
    external = [{"group": "example.com", "version": "v1", "resource": "batches"}]
    wanted = {"frameworks": ["TrainJob"], "externalFrameworks": external, "labelKeysToCopy": [{"key": "team"}]}
    found = read(integrations=wanted).management
    assert found.frameworks.hold(TRAIN_JOBS)
    assert not found.frameworks.hold(JOBS)
    assert found.frameworks.external == {External("batches", "v1", "example.com")}
    assert found.copied_labels == ("team",)
