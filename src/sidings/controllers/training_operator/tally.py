"""Counting the pods of one role (``updateJobReplicaStatuses``).

A pod that runs but is being deleted counts as failed; one that is pending counts as nothing. Zeros are not written, as
Go leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sidings.api.objects import Object, is_deleting
from sidings.api.training_operator import words
from sidings.controllers.training_operator.snapshot import Snapshot


class Tally(NamedTuple):
    """Pods of one role by what they are."""

    wanted: int = 0
    active: int = 0
    succeeded: int = 0
    failed: int = 0

    @property
    def complete(self) -> bool:
        """As many succeeded as are wanted."""
        return self.succeeded >= self.wanted

    @property
    def has_lost(self) -> bool:
        """Pods failed and others are not enough."""
        return self.failed > 0 and self.wanted > self.succeeded + self.active


def phase_of(pod: Object) -> str:
    return str((pod.get("status") or {}).get("phase") or "Pending")


def count(wanted: int, pods: Iterable[Object]) -> Tally:
    active = succeeded = failed = 0
    for pod in pods:
        match phase_of(pod), is_deleting(pod):
            case "Running", False:
                active += 1
            case "Succeeded", _:
                succeeded += 1
            case ("Failed", _) | ("Running", True):
                failed += 1
    return Tally(wanted, active, succeeded, failed)


def status_of(snapshot: Snapshot, role: str, tally: Tally) -> Object:
    """One entry of ``status.replicaStatuses``."""
    counts = {"active": tally.active, "succeeded": tally.succeeded, "failed": tally.failed}
    entry: Object = {key: value for key, value in counts.items() if value}
    if snapshot.framework.reports_selector:
        entry["selector"] = ",".join(
            f"{label}={value}"
            for label, value in (
                (words.JOB_NAME, snapshot.name),
                (words.OPERATOR_NAME, snapshot.framework.operator_name),
                (words.REPLICA_TYPE, role.lower()),
            )
        )
    return entry
