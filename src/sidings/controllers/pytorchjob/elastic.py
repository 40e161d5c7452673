"""``elasticPolicy`` as torchrun's own variables (pkg/controller.v1/pytorch/elastic.go).

Upstream panics on ``rdzvConf: []``; here it is as if it were left out.
"""

from __future__ import annotations

from sidings.api.training_operator import words
from sidings.controllers.training_operator.snapshot import Snapshot, replica_name

BACKEND = "c10d"


def environment(snapshot: Snapshot) -> dict[str, str]:
    """Name -> value, in upstream's order."""
    policy = snapshot.job["spec"]["elasticPolicy"]
    host = policy.get("rdzvHost") or replica_name(snapshot.name, words.WORKER, 0)
    port = policy.get("rdzvPort")
    variables = {
        "PET_RDZV_ENDPOINT": f"{host}:{snapshot.port(words.WORKER) if port is None else port}",
        "PET_RDZV_BACKEND": policy.get("rdzvBackend") or BACKEND,
        "PET_NNODES": f"{policy['minReplicas']}:{policy['maxReplicas']}",
    }
    optional = {
        "PET_MAX_RESTARTS": policy.get("maxRestarts"),
        "PET_NPROC_PER_NODE": policy.get("nProcPerNode"),
        "PET_RDZV_ID": policy.get("rdzvId"),
    }
    variables |= {name: str(value) for name, value in optional.items() if value is not None}
    if policy.get("rdzvConf"):
        variables["PET_RDZV_CONF"] = ",".join(
            f"{item.get('key') or ''}={item.get('value') or ''}" for item in policy["rdzvConf"]
        )
    if policy.get("standalone"):
        variables["PET_STANDALONE"] = ""
    return variables
