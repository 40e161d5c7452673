"""LocalQueue: the door to a ClusterQueue in a namespace."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Column, Kind
from sidings.api.kinds import columns
from sidings.api.kinds.kueue.rules import KueueRules
from sidings.api.kueue.conversion import local_queue, versions
from sidings.api.resources import LOCAL_QUEUES

SCHEMA = schemas.schema(LOCAL_QUEUES.group, LOCAL_QUEUES.version, LOCAL_QUEUES.kind)

KIND = Kind(
    resource=LOCAL_QUEUES,
    singular="localqueue",
    schema=SCHEMA,
    builtin=False,
    rules=KueueRules(SCHEMA),
    short_names=("queue", "queues", "lq"),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("ClusterQueue", json_path=".spec.clusterQueue", description="Backing ClusterQueue"),
        Column("Pending Workloads", "integer", ".status.pendingWorkloads", description="Number of pending workloads"),
        Column(
            "Admitted Workloads",
            "integer",
            ".status.admittedWorkloads",
            description="Number of admitted workloads that haven't finished yet.",
        ),
    ),
)
KINDS = (KIND, versions.view(KIND, local_queue.to_stored, local_queue.from_stored))
