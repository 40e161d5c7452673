"""The headless Service in which the pods of a JobSet find each other by host name.

It carries no ports and selects by the JobSet's name. An existing Service of that name is used as it is, whoever made
it.
"""

from __future__ import annotations

from sidings.api import objects
from sidings.api.jobset import labels, names
from sidings.api.objects import Object

CREATION_FAILED = "HeadlessServiceCreationFailed"


def is_wanted(jobset: Object) -> bool:
    return bool((jobset["spec"].get("network") or {}).get("enableDNSHostnames"))


def service_for(jobset: Object) -> Object:
    network = jobset["spec"].get("network") or {}
    service: Object = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": names.subdomain(jobset),
            "namespace": objects.namespace_of(jobset),
            "ownerReferences": [objects.controller_ref(jobset)],
        },
        "spec": {
            "clusterIP": "None",
            "selector": {labels.JOBSET_NAME: objects.name_of(jobset)},
        },
    }
    if network.get("publishNotReadyAddresses") is not False:
        service["spec"]["publishNotReadyAddresses"] = True
    return service
