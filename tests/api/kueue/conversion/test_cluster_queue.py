"""ClusterQueue between v1beta1 and v1beta2."""

from __future__ import annotations

from sidings.api.kueue.conversion import cluster_queue

OLDER = {
    "spec": {
        "cohort": "team",
        "admissionChecks": ["a", "b"],
        "flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "TryNextFlavor"},
    },
    "status": {"pendingWorkloads": 1, "pendingWorkloadsStatus": {"lastChangeTime": "2026-01-01T00:00:00Z"}},
}
STORED = {
    "spec": {
        "cohortName": "team",
        "admissionChecksStrategy": {"admissionChecks": [{"name": "a"}, {"name": "b"}]},
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
    },
    "status": {"pendingWorkloads": 1},
}


def test_older_words_are_stored_in_new_ones() -> None:
    assert cluster_queue.to_stored(OLDER) == STORED


def test_what_only_the_newer_version_has_is_left_out() -> None:
    shown = cluster_queue.from_stored({"spec": {"cohortName": "team", "concurrentAdmissionPolicy": {}}})
    assert shown == {"spec": {"cohort": "team"}}


def test_a_part_of_an_object_converts_as_far_as_it_goes() -> None:
    assert cluster_queue.to_stored({"spec": {"cohort": None}}) == {"spec": {"cohortName": None}}
    assert cluster_queue.to_stored({"metadata": {"labels": {"a": "b"}}}) == {"metadata": {"labels": {"a": "b"}}}
