"""``volumeClaimPolicies``: claims that live with the JobSet, or outlive it (``whenDeleted: Retain``).

A claim that is to be deleted with the JobSet has it as owner, so garbage collection does the rest; one that is retained
has no owner and may be reused by the next JobSet of the same name. Existing claims are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sidings.api import objects
from sidings.api.jobset import labels, names
from sidings.api.objects import Object

CREATION_FAILED = "PVCCreationFailed"


def claims_for(jobset: Object) -> Iterator[Object]:
    """The claim of every template."""
    for policy_index, _, template in names.claim_templates(jobset):
        policy = jobset["spec"]["volumeClaimPolicies"][policy_index]
        metadata = template.get("metadata") or {}
        claim: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {
                "name": names.claim_name(metadata.get("name") or "", objects.name_of(jobset)),
                "namespace": objects.namespace_of(jobset),
                "labels": {**(metadata.get("labels") or {}), labels.JOBSET_NAME: objects.name_of(jobset)},
            },
            "spec": objects.copy_of(template.get("spec") or {}),
        }
        if metadata.get("annotations"):
            claim["metadata"]["annotations"] = dict(metadata["annotations"])
        if _deleted_with_jobset(policy):
            claim["metadata"]["ownerReferences"] = [objects.controller_ref(jobset)]
        yield claim


def volumes_for(jobset: Object, replicated_job: Object) -> list[Object]:
    """The volumes that the pods of a group need for the claims which their containers mount."""
    volumes = []
    for _, _, template in names.claim_templates(jobset):
        name = (template.get("metadata") or {}).get("name") or ""
        if names.mounts(replicated_job, name):
            claim = names.claim_name(name, objects.name_of(jobset))
            volumes.append({"name": name, "persistentVolumeClaim": {"claimName": claim}})
    return volumes


def _deleted_with_jobset(policy: Mapping[str, Any]) -> bool:
    return ((policy.get("retentionPolicy") or {}).get("whenDeleted") or "Delete") == "Delete"
