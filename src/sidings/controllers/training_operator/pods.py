"""The pods of a job, and the Service by which each is found (pkg/controller.v1/common/{pod,service}.go, 1.9.4)."""

from __future__ import annotations

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.training_operator import defaults, words
from sidings.controllers.training_operator.operator import Operator, Place
from sidings.controllers.training_operator.snapshot import Snapshot, replica_name

POLICY_REASON = "SetPodTemplateRestartPolicy"
POLICY_MESSAGE = "Restart policy in pod template will be overwritten by restart policy in replica spec"


def pod_for(operator: Operator, snapshot: Snapshot, place: Place) -> Object:
    """The pod at ``place`` as it has to be created."""
    replica = snapshot.roles[place.role]
    template = objects.copy_of(replica["template"])
    declared = template.get("metadata") or {}
    labels = {**(declared.get("labels") or {}), **own_labels(snapshot, place)}
    if has_master_role(snapshot, place):
        labels[words.JOB_ROLE] = words.MASTER_ROLE
    spec = template["spec"]
    policy = replica["restartPolicy"]
    spec["restartPolicy"] = words.NEVER if policy == words.EXIT_CODE else policy
    operator.prepare(snapshot, place, spec)
    metadata = _metadata(snapshot, operator.pod_name(snapshot, place)) | {"labels": labels}
    for field in ("annotations", "finalizers"):
        if declared.get(field):
            metadata[field] = declared[field]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def service_for(snapshot: Snapshot, place: Place) -> Object:
    """A headless Service for one pod, with every port of its main container."""
    container = defaults.main_container(snapshot.framework, snapshot.roles[place.role])
    labels = own_labels(snapshot, place)
    ports = [
        {"name": port.get("name") or "", "port": port["containerPort"], "protocol": port.get("protocol") or "TCP"}
        for port in container.get("ports") or ()
    ]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(snapshot, replica_name(snapshot.name, *place)) | {"labels": labels},
        "spec": {"clusterIP": "None", "selector": labels, "ports": ports},
    }


def own_labels(snapshot: Snapshot, place: Place) -> dict[str, str]:
    """The four labels by which a pod and its Service are found."""
    return {
        words.OPERATOR_NAME: snapshot.framework.operator_name,
        words.JOB_NAME: snapshot.name,
        words.REPLICA_TYPE: place.role.lower(),
        words.REPLICA_INDEX: str(place.number),
    }


def has_master_role(snapshot: Snapshot, place: Place) -> bool:
    """Whether this pod speaks for the job."""
    if snapshot.leader is not None:
        return place.role == snapshot.leader
    return snapshot.framework.worker_zero_leads and place == Place(words.WORKER, 0)


def _metadata(snapshot: Snapshot, name: str) -> Object:
    return {
        "name": name,
        "namespace": snapshot.namespace,
        "ownerReferences": [objects.controller_ref(snapshot.stored)],
    }
