"""Which pods and Services are missing, which are too many, which have to be made anew."""

from __future__ import annotations

from dataclasses import dataclass, field

from sidings.api import objects
from sidings.api.objects import Object
from sidings.controllers.training_operator import pods, restart_policy
from sidings.controllers.training_operator.operator import Operator, Place
from sidings.controllers.training_operator.restart_policy import Verdict
from sidings.controllers.training_operator.snapshot import Snapshot


@dataclass
class Scaling:
    """For one role. ``replaced`` are pods of ``delete`` that failed; ``exits`` the codes that pods ended with."""

    create: list[Object] = field(default_factory=list)
    delete: list[Object] = field(default_factory=list)
    replaced: list[Object] = field(default_factory=list)
    exits: list[tuple[Object, int]] = field(default_factory=list)
    fails_job: bool = False


def scale(operator: Operator, snapshot: Snapshot, role: str) -> Scaling:
    """Indexes from 0 to the count are filled; higher ones go. A pod being deleted holds its place."""
    wanted, replica = snapshot.replicas(role), snapshot.roles[role]
    present = snapshot.pods_of(role)
    result = Scaling()
    for index in range(wanted):
        pod = present.get(index)
        if pod is None:
            result.create.append(pods.pod_for(operator, snapshot, Place(role, index)))
            continue
        code = restart_policy.exit_code(pod, snapshot.framework.container)
        if code is not None:
            result.exits.append((pod, code))
        if objects.is_deleting(pod):
            continue
        verdict = restart_policy.judge(replica["restartPolicy"], pod, snapshot.framework.container)
        if verdict is Verdict.REPLACE:
            result.delete.append(pod)
            result.replaced.append(pod)
        result.fails_job = result.fails_job or verdict is Verdict.FAIL_JOB
    result.delete += [pod for index, pod in present.items() if index >= wanted and not objects.is_deleting(pod)]
    if not operator.has_services:
        return result
    services = snapshot.services_of(role)
    result.create += [
        pods.service_for(snapshot, Place(role, index)) for index in range(wanted) if index not in services
    ]
    result.delete += [
        service for index, service in services.items() if index >= wanted and not objects.is_deleting(service)
    ]
    return result
