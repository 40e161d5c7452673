"""The variables about Services that kubelet gives containers: pure, over the Services of the pod's namespace.

As ``getServiceEnvVarMap`` and ``envvars.FromServices`` of kubelet v1.36: those of the pod's namespace unless
``enableServiceLinks`` is false, and the Service ``kubernetes`` always; headless ones have none. In training jobs that
is little, because their Services are headless.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sidings.api import service_ports
from sidings.api.objects import Object, name_of, namespace_of
from sidings.node.backends import HEADLESS


def api_server(address: str, port: int) -> Object:
    """The Service ``kubernetes``, as pods get to it."""
    ports = [{"name": "https", "port": port, "protocol": "TCP"}]
    return {
        "metadata": {"name": "kubernetes", "namespace": "default"},
        "spec": {"clusterIP": address, "ports": ports},
    }


def variables(pod: Object, services: Iterable[Object], kubernetes: Object | None) -> dict[str, str]:
    """Every variable of ``pod`` about ``services``; ``kubernetes`` is the way to the API server, if there is one."""
    linked = pod["spec"].get("enableServiceLinks", True)
    mine = [service for service in services if linked and namespace_of(service) == namespace_of(pod)]
    if kubernetes is not None:
        mine = [*(service for service in mine if name_of(service) != name_of(kubernetes)), kubernetes]
    return {name: value for service in mine for name, value in _of(service)}


def _of(service: Object) -> Iterator[tuple[str, str]]:
    address, ports = service["spec"].get("clusterIP") or "None", service["spec"].get("ports") or ()
    if address in HEADLESS or not ports:
        return
    name = _word(name_of(service))
    yield f"{name}_SERVICE_HOST", address
    yield f"{name}_SERVICE_PORT", str(ports[0]["port"])
    for port in ports:
        if port.get("name"):
            yield f"{name}_SERVICE_PORT_{_word(port['name'])}", str(port["port"])
    for index, port in enumerate(ports):
        protocol, number = service_ports.protocol(port), port["port"]
        url = f"{protocol.lower()}://{address}:{number}"
        if index == 0:
            yield f"{name}_PORT", url
        prefix = f"{name}_PORT_{number}_{protocol}"
        yield prefix, url
        yield f"{prefix}_PROTO", protocol.lower()
        yield f"{prefix}_PORT", str(number)
        yield f"{prefix}_ADDR", address


def _word(name: str) -> str:
    return name.upper().replace("-", "_")
