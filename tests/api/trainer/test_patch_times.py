"""Times of runtime patches (cases A28, A29)."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.trainer import patch_times
from tests.trainjobs import patch, pod_patch, train_job

NOW, BEFORE = "2026-06-01T00:00:00Z", "2026-01-01T00:00:00Z"


def times(job: Object) -> list[str]:
    return [item["time"] for item in job["spec"]["runtimePatches"]]


def test_new_patches_get_the_time_unless_they_bring_one() -> None:
    job = train_job(runtimePatches=[patch(), patch(manager="b.io/m") | {"time": BEFORE}])
    patch_times.stamp(job, None, NOW)
    assert times(job) == [NOW, BEFORE]


def test_unchanged_patch_keeps_its_time_whatever_the_client_sends() -> None:
    old = train_job(runtimePatches=[patch() | {"time": BEFORE}])
    job = train_job(runtimePatches=[patch() | {"time": "2030-01-01T00:00:00Z"}])
    patch_times.stamp(job, old, NOW)
    assert times(job) == [BEFORE]


def test_changed_patch_gets_a_new_time_and_its_neighbour_keeps_its_own() -> None:
    neighbour = patch(manager="b.io/m") | {"time": BEFORE}
    old = train_job(runtimePatches=[patch() | {"time": BEFORE}, neighbour])
    changed = patch(pod_patch({"nodeSelector": {"a": "b"}})) | {"time": BEFORE}
    job = train_job(runtimePatches=[changed, neighbour])
    patch_times.stamp(job, old, NOW)
    assert times(job) == [NOW, BEFORE]


def test_shapes_that_validation_will_refuse_are_left_alone() -> None:
    for spec in (None, {"runtimePatches": "x"}, {"runtimePatches": [1, {}, {"manager": 2}]}):
        job = {"spec": spec}
        patch_times.stamp(job, None, NOW)
        assert job == {"spec": spec}


def test_a_patch_that_other_admission_added_without_a_time_gets_one_with_the_next_change() -> None:
    job = train_job(runtimePatches=[patch()])
    patch_times.stamp(job, train_job(runtimePatches=[patch()]), NOW)
    assert times(job) == [NOW]
