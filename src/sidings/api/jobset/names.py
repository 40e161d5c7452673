"""The names that a JobSet gives its children, and where they find each other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from sidings.api import objects
from sidings.api.objects import Object


def job_name(jobset_name: str, replicated_job: str, index: int) -> str:
    return f"{jobset_name}-{replicated_job}-{index}"


def subdomain(jobset: Object) -> str:
    """The headless Service's name, in which the pods have their host names."""
    return str((jobset["spec"].get("network") or {}).get("subdomain") or objects.name_of(jobset))


def claim_name(template_name: str, jobset_name: str) -> str:
    return f"{template_name}-{jobset_name}"


def coordinator_endpoint(jobset: Object) -> str:
    """The stable name of the coordinator pod; JobSets with ``spec.coordinator`` only. DNS may still be disabled."""
    coordinator = jobset["spec"]["coordinator"]
    job = job_name(
        objects.name_of(jobset), coordinator.get("replicatedJob") or "", int(coordinator.get("jobIndex") or 0)
    )
    return f"{job}-{int(coordinator.get('podIndex') or 0)}.{subdomain(jobset)}"


def job_key(namespace: str, job: str) -> str:
    """A label value that is the same for all pods of one Job, whatever its name's length: SHA-1 in hex."""
    return hashlib.sha1(f"{namespace}/{job}".encode(), usedforsecurity=False).hexdigest()


def claim_templates(jobset: Object) -> Iterable[tuple[int, int, Object]]:
    """(index of the policy, index of the template, template) of every volume claim template."""
    for policy_index, policy in enumerate(jobset["spec"].get("volumeClaimPolicies") or ()):
        for template_index, template in enumerate(policy.get("templates") or ()):
            yield policy_index, template_index, template


def mounts(replicated_job: Object, volume: str) -> bool:
    """Whether any container or init container of the replicated job mounts ``volume``."""
    spec = replicated_job["template"]["spec"]["template"]["spec"]
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    return any(mount.get("name") == volume for container in containers for mount in container.get("volumeMounts") or ())
