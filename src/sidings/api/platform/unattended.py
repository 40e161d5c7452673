"""What a job is told while the component that would work on it is switched off: who did it, and how to undo it."""

from __future__ import annotations

import json

from sidings.api import conditions
from sidings.api.objects import Object, name_of
from sidings.api.platform.components import MANAGED, SWITCHES, UNMANAGED, Component
from sidings.api.resources import DATA_SCIENCE_CLUSTERS, Resource

REASON = "ComponentRemoved"
_SWITCHES = {resource.kind: resource for resource in SWITCHES}
_ENDS = ("Complete", "Completed", "Succeeded", "Failed", "Finished")


def waits(job: Object) -> bool:
    """Whether ``job`` would be worked on: it has not ended and is not suspended. A Workload waits until admitted."""
    ended = any(conditions.is_true(job, type_) for type_ in _ENDS)
    suspended = (job.get("spec") or {}).get("suspend") or ((job.get("spec") or {}).get("runPolicy") or {}).get(
        "suspend"
    )
    return not ended and not suspended and not conditions.is_true(job, "Admitted")


def message(component: Component, switch: Object) -> str:
    """``switch`` is the object that has ``component`` off."""
    resource = _SWITCHES[switch["kind"]]
    return (
        f"Nothing works on it: the component {component} is Removed in {resource.kind} {name_of(switch)}. "
        f"To switch it on: {_command(component, resource, name_of(switch))}"
    )


def _command(component: Component, resource: Resource, name: str) -> str:
    # A DataScienceCluster refuses Managed for kueue, as OpenShift AI does since 3.0.
    state = {"managementState": UNMANAGED if (component, resource) == _KUEUE_IN_CLUSTER else MANAGED}
    spec = {"components": {component.value: state}} if resource == DATA_SCIENCE_CLUSTERS else state
    patch = json.dumps({"spec": spec}, separators=(",", ":"))
    return f"kubectl patch {resource.plural}.{resource.group} {name} --type=merge -p '{patch}'"


_KUEUE_IN_CLUSTER = (Component.KUEUE, DATA_SCIENCE_CLUSTERS)
