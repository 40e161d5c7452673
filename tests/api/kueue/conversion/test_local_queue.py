"""LocalQueue between v1beta1 and v1beta2."""

from __future__ import annotations

from sidings.api.kueue.conversion import local_queue

USAGE = [{"name": "f", "resources": [{"name": "cpu", "total": "1"}]}]


def test_usage_has_another_name() -> None:
    stored = {"status": {"flavorsUsage": USAGE, "pendingWorkloads": 0}}
    assert local_queue.from_stored(stored) == {"status": {"flavorUsage": USAGE, "pendingWorkloads": 0}}
    assert local_queue.to_stored(local_queue.from_stored(stored)) == stored


def test_flavors_are_only_in_the_older_version() -> None:
    assert local_queue.to_stored({"status": {"flavors": [{"name": "f"}]}}) == {"status": {}}
