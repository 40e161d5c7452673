"""What an object counts for in a ResourceQuota, and whether one more still fits.

Names and rules are those of ``k8s.io/apiserver/pkg/admission/plugin/resourcequota`` and
``k8s.io/kubernetes/pkg/quota/v1/evaluator/core`` (v1.36): ``pods`` and requests count while a pod is not over,
``count/<resource>.<group>`` counts objects of any kind, ``cpu`` is another name of ``requests.cpu``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from sidings.api import pod_resources, quantity
from sidings.api.objects import Object
from sidings.api.pod_resources import Amounts
from sidings.api.resources import CLAIMS, CONFIG_MAPS, PODS, RESOURCE_QUOTAS, SECRETS, SERVICES, Resource

_COUNTED = {CLAIMS, CONFIG_MAPS, RESOURCE_QUOTAS, SECRETS, SERVICES}
"""Kinds that are counted under their plain name too."""
_BARE = ("cpu", "memory", "ephemeral-storage")
"""Compute resources whose plain name means their requests."""
_COMPUTE = (*_BARE, *(f"{word}.{name}" for word in ("requests", "limits") for name in ("cpu", "memory")))
_OVER = ("Succeeded", "Failed")


_STORAGE = ("storage", "ephemeral-storage", "memory", "cpu")
_SERVICES = ("services.loadbalancers", "services.nodeports", "replicationcontrollers")


def is_known(name: str) -> bool:
    """Whether ``name``, which has no domain, may be limited by a quota."""
    word, dot, rest = name.partition(".")
    if dot and word in ("requests", "limits"):
        return rest in _STORAGE or rest.startswith("hugepages-") or "." in rest
    return name in _BARE or is_count(name) or name.startswith("hugepages-")


def is_count(name: str) -> bool:
    """Whether ``name`` counts objects, so that only whole numbers limit it."""
    plain = {resource.plural for resource in _COUNTED}
    return name in plain or name in _SERVICES or name == PODS.plural or name.startswith("count/")


def usage(resource: Resource, obj: Object) -> Amounts:
    """What ``obj`` counts for; empty for a pod that is over, but for its own count."""
    found = {f"count/{resource.group_resource}": Decimal(1)}
    if resource in _COUNTED:
        found[resource.plural] = Decimal(1)
    if resource == CLAIMS:
        requests = ((obj.get("spec") or {}).get("resources") or {}).get("requests") or {}
        found["requests.storage"] = quantity.parse(requests.get("storage", "0"))
    if resource == PODS and (obj.get("status") or {}).get("phase") not in _OVER:
        found["pods"] = Decimal(1)
        for name, amount in pod_resources.of_pod(obj).items():
            found[f"requests.{name}"] = amount
            if name in _BARE:
                found[name] = amount
        for name, amount in _limits(obj).items():
            found[f"limits.{name}"] = amount
    return found


def used(quota: Object, objects: Iterable[tuple[Resource, Object]]) -> dict[str, str]:
    """``status.used`` of ``quota`` over the objects of its namespace."""
    total: Amounts = {name: Decimal(0) for name in hard_of(quota)}
    for resource, obj in objects:
        if matches(quota, resource, obj):
            for name, amount in usage(resource, obj).items():
                if name in total:
                    total[name] += amount
    return {name: pod_resources.text_of(name, amount) for name, amount in total.items()}


def hard_of(quota: Object) -> Mapping[str, str]:
    found: Mapping[str, str] = (quota.get("spec") or {}).get("hard") or {}
    return found


def matches(quota: Object, resource: Resource, obj: Object) -> bool:
    """Whether the scopes of ``quota`` take ``obj`` in. Scopes speak of pods; with any, nothing else counts."""
    spec = quota.get("spec") or {}
    scopes = [{"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or ()]
    scopes += (spec.get("scopeSelector") or {}).get("matchExpressions") or ()
    return not scopes or (resource == PODS and all(_in_scope(scope, obj) for scope in scopes))


def _in_scope(scope: Mapping[str, object], pod: Object) -> bool:
    spec = pod["spec"]
    match scope["scopeName"]:
        case "Terminating":
            return spec.get("activeDeadlineSeconds") is not None
        case "NotTerminating":
            return spec.get("activeDeadlineSeconds") is None
        case "BestEffort":
            return pod_resources.qos_class(spec) == "BestEffort"
        case "NotBestEffort":
            return pod_resources.qos_class(spec) != "BestEffort"
        case "PriorityClass":
            name, values = spec.get("priorityClassName") or "", scope.get("values") or ()
            assert isinstance(values, list | tuple)
            match scope["operator"]:
                case "In":
                    return name in values
                case "NotIn":
                    return name not in values
                case "Exists":
                    return bool(name)
            return not name
    return False


def complaint(quota: Object, resource: Resource, obj: Object, before: Mapping[str, str]) -> str:
    """Why ``obj`` may not be made while ``before`` is used; empty if it may."""
    if not matches(quota, resource, obj):
        return ""
    hard, asked = hard_of(quota), usage(resource, obj)
    name = quota["metadata"]["name"]
    if resource == PODS and (missing := _unspecified(hard, obj)):
        return f"failed quota: {name}: must specify {missing}"
    over = [
        each
        for each in sorted(hard)
        if asked.get(each) and quantity.parse(before[each]) + asked[each] > quantity.parse(hard[each])
    ]
    if not over:
        return ""
    shown = (
        ("requested", {each: pod_resources.text_of(each, asked[each]) for each in over}),
        ("used", before),
        ("limited", hard),
    )
    parts = [f"{word}: {','.join(f'{each}={values[each]}' for each in over)}" for word, values in shown]
    return f"exceeded quota: {name}, {', '.join(parts)}"


def _unspecified(hard: Mapping[str, str], pod: Object) -> str:
    """The compute resources that ``hard`` limits and a container leaves open: ``limits.cpu for: main``."""
    found: dict[str, list[str]] = {}
    for container in [*(pod["spec"].get("initContainers") or ()), *(pod["spec"].get("containers") or ())]:
        resources = container.get("resources") or {}
        limits = resources.get("limits") or {}
        requests = {**limits, **(resources.get("requests") or {})}
        for name in sorted(hard):
            if name not in _COMPUTE:
                continue
            given = limits if name.startswith("limits.") else requests
            if name.rpartition(".")[2] not in given:
                found.setdefault(name, []).append(str(container["name"]))
    return "; ".join(f"{name} for: {','.join(containers)}" for name, containers in sorted(found.items()))


def _limits(pod: Object) -> Amounts:
    total: Amounts = {}
    for container in pod["spec"].get("containers") or ():
        limits = (container.get("resources") or {}).get("limits") or {}
        pod_resources.add(total, {name: quantity.parse(value) for name, value in limits.items()})
    return total
