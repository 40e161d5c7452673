"""Endpoints: the addresses behind a Service, ready and not ready.

A headless service without ports (JobSet's) gets one subset of bare addresses. Names in the pods' DNS follow the same
rule; see ``node/``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from sidings.api import service_ports
from sidings.api.conditions import is_true
from sidings.api.objects import Key, Object, copy_of, is_deleting, key_of, labels_of, name_of, namespace_of, uid_of
from sidings.api.pod_phase import has_ended
from sidings.api.resources import ENDPOINTS, PODS, SERVICES, Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller, Mapper

HEADLESS_LABEL = "service.kubernetes.io/headless"


class EndpointsController(Controller):
    """One Endpoints object per Service with a selector, named like it.

    A pod does not know who selects it. Asking all Services of its namespace for every change of a pod made the cost of
    a JobSet grow with their number, so each is remembered by one label of its selector, the one with the longest value
    (of JobSet's and Kubeflow's Services that is the job); and who was selected, in case a pod's labels change.
    """

    name = "endpoint-controller"
    resource = SERVICES

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self._selectors: dict[Key, Mapping[str, str]] = {}
        """By Service."""
        self._by_label: dict[tuple[str, str, str], dict[Key, None]] = {}
        """Services by namespace and the label by which they are remembered."""
        self._selected_by: dict[str, list[Key]] = {}
        """Services, by uid of a living pod."""

    def watched(self) -> Mapping[Resource, Mapper]:
        return {PODS: self._services_of}

    def keys(self, obj: Object) -> Iterable[Key]:
        self._forget(key_of(obj))
        if selector := obj["spec"].get("selector"):
            self._selectors[key_of(obj)] = selector
            self._by_label.setdefault(_handle(key_of(obj), selector), {})[key_of(obj)] = None
        return super().keys(obj)

    def _forget(self, key: Key) -> None:
        selector = self._selectors.pop(key, None)
        if selector is not None:
            handle = _handle(key, selector)
            del self._by_label[handle][key]
            if not self._by_label[handle]:
                del self._by_label[handle]

    def _services_of(self, pod: Object) -> Iterable[Key]:
        namespace, labels = namespace_of(pod), labels_of(pod)
        candidates = [key for label in labels.items() for key in self._by_label.get((namespace, *label), ())]
        now = [key for key in candidates if self._selectors[key].items() <= labels.items()]
        before = self._selected_by.pop(uid_of(pod), [])
        if now and not is_deleting(pod) and not has_ended(pod):
            self._selected_by[uid_of(pod)] = now
        return dict.fromkeys([*before, *now])

    async def leftovers(self) -> Iterable[Key]:
        """All Endpoints that this controller has written: they have no owner. Those that a user has made stay."""
        written = (await self.client.list(ENDPOINTS)).items
        return [key_of(endpoints) for endpoints in written if self._has_written(endpoints)]

    def _has_written(self, endpoints: Object) -> bool:
        return any(entry.get("manager") == self.name for entry in endpoints["metadata"].get("managedFields") or ())

    async def reconcile(self, key: Key) -> float | None:
        service = await self._get(SERVICES, key)
        if service is None:
            self._forget(key)
            await self._remove(key)
        elif selector := service["spec"].get("selector"):
            text = ",".join(f"{name}={value}" for name, value in selector.items())
            pods = (await self.client.list(PODS, key.namespace, label_selector=text)).items
            await self._write(service, subsets(service, pods), await self._get(ENDPOINTS, key))
        return None

    async def _get(self, resource: Resource, key: Key) -> Object | None:
        try:
            return await self.client.get(resource, key.name, key.namespace)
        except NotFound:
            return None

    async def _remove(self, key: Key) -> None:
        live = await self._get(ENDPOINTS, key)
        if live is not None:
            await self.client.delete(ENDPOINTS, key.name, key.namespace, uid=uid_of(live))

    async def _write(self, service: Object, wanted: list[Object], live: Object | None) -> None:
        labels = dict(labels_of(service))
        if service["spec"].get("clusterIP") == "None":
            labels[HEADLESS_LABEL] = ""
        if live is None:
            endpoints: Object = {
                "apiVersion": ENDPOINTS.api_version,
                "kind": ENDPOINTS.kind,
                "metadata": {"name": name_of(service), "namespace": namespace_of(service), "labels": labels},
                **({"subsets": wanted} if wanted else {}),
            }
            await self.client.create(ENDPOINTS, endpoints, namespace=namespace_of(service), field_manager=self.name)
        elif (live.get("subsets") or []) != wanted or labels_of(live) != labels:
            changed = copy_of(live)
            changed["metadata"]["labels"] = labels
            changed["subsets"] = wanted
            await self.client.update(ENDPOINTS, changed, field_manager=self.name)


def _handle(key: Key, selector: Mapping[str, str]) -> tuple[str, str, str]:
    """The namespace and the label by which the Service of ``key`` is remembered."""
    name, value = max(selector.items(), key=lambda label: len(label[1]))
    return key.namespace, name, value


def subsets(service: Object, pods: Sequence[Object]) -> list[Object]:
    """The ``subsets`` of a Service's Endpoints: its pods that have an address, sorted by address.

    Pods in which a named port has different numbers are in different subsets. A pod that is not ready counts as ready
    where the Service publishes such addresses, unless it is being deleted.
    """
    selector = service["spec"]["selector"]
    publish = bool(service["spec"].get("publishNotReadyAddresses"))
    found: dict[str, tuple[list[Object], list[Object], list[Object]]] = {}
    for pod in pods:
        status = pod.get("status") or {}
        labels = labels_of(pod)
        if not status.get("podIP") or has_ended(pod):
            continue
        if any(labels.get(key) != value for key, value in selector.items()):
            continue
        ports = _ports(service, pod)
        if not ports and service["spec"].get("ports"):
            continue
        _, ready, not_ready = found.setdefault(repr(ports), (ports, [], []))
        up = is_true(pod, "Ready") or (publish and not is_deleting(pod))
        (ready if up else not_ready).append(_address(service, pod))
    return [_subset(*found[key]) for key in sorted(found)]


def _subset(ports: list[Object], ready: list[Object], not_ready: list[Object]) -> Object:
    subset: Object = {}
    if ready:
        subset["addresses"] = sorted(ready, key=lambda address: str(address["ip"]))
    if not_ready:
        subset["notReadyAddresses"] = sorted(not_ready, key=lambda address: str(address["ip"]))
    if ports:
        subset["ports"] = ports
    return subset


def _ports(service: Object, pod: Object) -> list[Object]:
    """The Service's ports as they are in ``pod``, without those whose name it does not have."""
    made = []
    for port in service["spec"].get("ports") or ():
        number = service_ports.target_port(port, pod)
        if number is not None:
            made.append({key: port[key] for key in ("name", "protocol") if key in port} | {"port": number})
    return made


def _address(service: Object, pod: Object) -> Object:
    address: Object = {
        "ip": pod["status"]["podIP"],
        "nodeName": pod["spec"].get("nodeName"),
        "targetRef": {
            "kind": "Pod",
            "namespace": namespace_of(pod),
            "name": name_of(pod),
            "uid": uid_of(pod),
        },
    }
    if pod["spec"].get("hostname") and pod["spec"].get("subdomain") == name_of(service):
        address["hostname"] = pod["spec"]["hostname"]
    return address
