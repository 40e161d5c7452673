"""Workload: a job as the queue sees it."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Column, Kind
from sidings.api.kinds import columns
from sidings.api.kinds.kueue.rules import KueueRules
from sidings.api.kueue.conversion import versions, workload
from sidings.api.resources import WORKLOADS

SCHEMA = schemas.schema(WORKLOADS.group, WORKLOADS.version, WORKLOADS.kind)

KIND = Kind(
    resource=WORKLOADS,
    singular="workload",
    schema=SCHEMA,
    builtin=False,
    rules=KueueRules(SCHEMA),
    short_names=("kwl", "kueueworkload", "kueueworkloads"),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("Queue", json_path=".spec.queueName", description="Name of the queue this workload was submitted to"),
        Column(
            "Reserved in",
            json_path=".status.admission.clusterQueue",
            description="Name of the ClusterQueue where the workload is reserving quota",
        ),
        Column(
            "Admitted", json_path='.status.conditions[?(@.type=="Admitted")].status', description="Admission status"
        ),
        Column(
            "Finished", json_path='.status.conditions[?(@.type=="Finished")].status', description="Workload finished"
        ),
        columns.DATE_AGE,
    ),
    field_labels={"status.admission.clusterQueue": "status.admission.clusterQueue"},
)
KINDS = (KIND, versions.view(KIND, workload.to_stored, workload.from_stored))
