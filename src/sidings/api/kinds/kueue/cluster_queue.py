"""ClusterQueue: quota by flavor and resource, and how it is given away."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Column, Kind
from sidings.api.kinds import columns
from sidings.api.kinds.kueue.rules import KueueRules
from sidings.api.kueue.conversion import cluster_queue, versions
from sidings.api.resources import CLUSTER_QUEUES

SCHEMA = schemas.schema(CLUSTER_QUEUES.group, CLUSTER_QUEUES.version, CLUSTER_QUEUES.kind)

_COUNTS = (
    Column(
        "Strategy",
        json_path=".spec.queueingStrategy",
        priority=1,
        description="The queueing strategy used to prioritize workloads",
    ),
    Column("Pending Workloads", "integer", ".status.pendingWorkloads", description="Number of pending workloads"),
    Column(
        "Admitted Workloads",
        "integer",
        ".status.admittedWorkloads",
        priority=1,
        description="Number of admitted workloads that haven't finished yet",
    ),
)


def _cohort(path: str) -> Column:
    return Column("Cohort", json_path=path, description="Cohort that this ClusterQueue belongs to")


KIND = Kind(
    resource=CLUSTER_QUEUES,
    singular="clusterqueue",
    schema=SCHEMA,
    builtin=False,
    rules=KueueRules(SCHEMA, guarded=True),
    short_names=("cq",),
    subresources=frozenset({"status"}),
    columns=(columns.NAME, _cohort(".spec.cohortName"), *_COUNTS),
)
KINDS = (
    KIND,
    versions.view(
        KIND,
        cluster_queue.to_stored,
        cluster_queue.from_stored,
        columns.NAME,
        _cohort(".spec.cohort"),
        *_COUNTS,
    ),
)
