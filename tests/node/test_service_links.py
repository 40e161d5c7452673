from __future__ import annotations

from typing import Any

from sidings.api.objects import Object
from sidings.node.service_links import api_server, variables
from tests.node.pods import pod

API = api_server("10.96.0.1", 443)
OF_API = {
    "KUBERNETES_SERVICE_HOST": "10.96.0.1",
    "KUBERNETES_SERVICE_PORT": "443",
    "KUBERNETES_SERVICE_PORT_HTTPS": "443",
    "KUBERNETES_PORT": "tcp://10.96.0.1:443",
    "KUBERNETES_PORT_443_TCP": "tcp://10.96.0.1:443",
    "KUBERNETES_PORT_443_TCP_PROTO": "tcp",
    "KUBERNETES_PORT_443_TCP_PORT": "443",
    "KUBERNETES_PORT_443_TCP_ADDR": "10.96.0.1",
}


def _service(name: str, *ports: Object, namespace: str = "default", address: str = "10.96.0.9") -> Object:
    return {"metadata": {"name": name, "namespace": namespace}, "spec": {"clusterIP": address, "ports": list(ports)}}


def _of(*services: Object, kubernetes: Object | None = API, **spec: Any) -> dict[str, str]:
    return variables(pod(**spec), services, kubernetes)


def test_the_api_server_is_there_for_every_pod() -> None:
    assert _of() == OF_API
    assert _of(_service("web", {"port": 80}), enableServiceLinks=False) == OF_API
    assert _of(kubernetes=None) == {}


def test_the_service_kubernetes_itself_changes_nothing() -> None:
    assert _of(_service("kubernetes", {"port": 1})) == OF_API


def test_services_of_the_namespace_as_kubelet_writes_them() -> None:
    web = _service("my-web", {"port": 80, "name": "http-main"}, {"port": 53, "protocol": "UDP", "name": "dns"})
    assert _of(web, kubernetes=None) == {
        "MY_WEB_SERVICE_HOST": "10.96.0.9",
        "MY_WEB_SERVICE_PORT": "80",
        "MY_WEB_SERVICE_PORT_HTTP_MAIN": "80",
        "MY_WEB_SERVICE_PORT_DNS": "53",
        "MY_WEB_PORT": "tcp://10.96.0.9:80",
        "MY_WEB_PORT_80_TCP": "tcp://10.96.0.9:80",
        "MY_WEB_PORT_80_TCP_PROTO": "tcp",
        "MY_WEB_PORT_80_TCP_PORT": "80",
        "MY_WEB_PORT_80_TCP_ADDR": "10.96.0.9",
        "MY_WEB_PORT_53_UDP": "udp://10.96.0.9:53",
        "MY_WEB_PORT_53_UDP_PROTO": "udp",
        "MY_WEB_PORT_53_UDP_PORT": "53",
        "MY_WEB_PORT_53_UDP_ADDR": "10.96.0.9",
    }


def test_headless_and_foreign_services_have_none() -> None:
    headless = _service("js", {"port": 80}, address="None")
    foreign = _service("web", {"port": 80}, namespace="team")
    alias = {"metadata": {"name": "db", "namespace": "default"}, "spec": {"type": "ExternalName"}}
    assert _of(headless, foreign, alias, kubernetes=None) == {}
