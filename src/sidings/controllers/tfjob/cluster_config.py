"""``TF_CONFIG``: who is in the cluster, and who I am.

With ``enableDynamicWorker`` workers may come and go, so a worker is told of itself and all parameter servers, and a
parameter server of itself only. A job of one pod gets none: TensorFlow takes its absence for "not distributed".
"""

from __future__ import annotations

import json

from sidings.api.training_operator import words
from sidings.controllers.training_operator.operator import Place
from sidings.controllers.training_operator.snapshot import Snapshot, replica_name

NAME = "TF_CONFIG"


def text(snapshot: Snapshot, place: Place) -> str:
    """The JSON as Go writes it."""
    cluster = {
        role.lower(): [_address(snapshot, role, number) for number in range(snapshot.replicas(role))]
        for role in sorted(snapshot.roles)
    }
    task = {"type": place.role.lower(), "index": place.number}
    if snapshot.job["spec"].get("enableDynamicWorker"):
        return _compact({"cluster": _sparse(cluster, place), "task": task})
    return _compact({"cluster": dict(sorted(cluster.items())), "task": task, "environment": "cloud"})


def _sparse(cluster: dict[str, list[str]], place: Place) -> dict[str, object]:
    servers = cluster.get(words.PARAMETER_SERVER.lower(), [])
    if place.role == words.PARAMETER_SERVER:
        return {"worker": {}, "ps": [servers[place.number]]}
    return {"worker": {str(place.number): cluster[place.role.lower()][place.number]}, "ps": servers}


def _address(snapshot: Snapshot, role: str, number: int) -> str:
    return f"{replica_name(snapshot.name, role, number)}.{snapshot.namespace}.svc:{snapshot.port(role)}"


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
