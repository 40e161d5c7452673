"""``runPolicy.cleanPodPolicy``: which pods of a job that has ended go, each with the Service of its name.

A suspended job loses all of them whatever the policy says.
"""

from __future__ import annotations

from sidings.api import objects
from sidings.api.objects import Object
from sidings.controllers.training_operator.snapshot import Snapshot
from sidings.controllers.training_operator.tally import phase_of

NONE, RUNNING, ALL = "None", "Running", "All"


def of_finished(snapshot: Snapshot) -> list[Object]:
    """Pods to delete, followed by their Services."""
    policy = snapshot.run_policy["cleanPodPolicy"]
    if policy == NONE:
        return []
    if policy == RUNNING:
        return _with_services(snapshot, [pod for pod in snapshot.pods if phase_of(pod) in ("Running", "Pending")])
    return _with_services(snapshot, list(snapshot.pods))


def of_suspended(snapshot: Snapshot) -> list[Object]:
    return _with_services(snapshot, list(snapshot.pods))


def _with_services(snapshot: Snapshot, pods: list[Object]) -> list[Object]:
    going = {objects.name_of(pod) for pod in pods}
    doomed = [*pods, *(service for service in snapshot.services if objects.name_of(service) in going)]
    return [obj for obj in doomed if not objects.is_deleting(obj)]
