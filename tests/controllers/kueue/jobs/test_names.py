"""Names of Workloads, against values of a real Kueue."""

from __future__ import annotations

import pytest

from sidings.controllers.kueue.jobs.names import LONGEST, workload_name


@pytest.mark.parametrize(
    ("kind", "group", "name", "uid", "expected"),
    [
        ("Job", "batch", "sample-job", "2eae97f8-63f4-4ba6-9930-4c526f0ec781", "job-sample-job-bac03"),
        ("PyTorchJob", "kubeflow.org", "mnist", "11111111-2222-3333-4444-555555555555", "pytorchjob-mnist-98a4b"),
        ("TrainJob", "trainer.kubeflow.org", "mnist", "11111111-2222-3333-4444-555555555555", "trainjob-mnist-4d410"),
    ],
)
def test_recorded_names(kind: str, group: str, name: str, uid: str, expected: str) -> None:
    assert workload_name(kind, group, name, uid) == expected


def test_a_long_name_is_cut_and_stays_unique() -> None:
    one, other = (workload_name("Job", "batch", "x" * 300, uid) for uid in ("a", "b"))
    assert len(one) == LONGEST
    assert one != other
