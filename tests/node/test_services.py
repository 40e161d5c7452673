"""Services between real pods: by name, to another port than the pods'."""

from __future__ import annotations

from sidings.api.conditions import is_true
from sidings.api.objects import Object
from sidings.api.resources import ENDPOINT_SLICES, SERVICES
from tests.node.clusters import Cluster

SERVER = "cd /; exec python3 -m http.server 8080"
CLIENT = """exec python3 -c '
import urllib.request
print(urllib.request.urlopen("http://web/etc/hostname", timeout=20).read().decode(), end="")'"""


async def test_a_pod_is_reached_by_the_name_and_port_of_its_service(cluster: Cluster) -> None:
    ports = [{"port": 80, "targetPort": "http"}]
    await cluster.create(SERVICES, "web", spec={"selector": {"app": "web"}, "ports": ports})
    probe = {"httpGet": {"port": "http"}, "periodSeconds": 1}
    fields = {"ports": [{"name": "http", "containerPort": 8080}], "readinessProbe": probe}
    await cluster.run(SERVER, name="server", metadata={"labels": {"app": "web"}}, container_fields=fields)
    await cluster.until(lambda found: is_true(found, "Ready"), "server")
    assert await cluster.output(CLIENT, name="client") == "server\n"


async def test_a_service_without_a_selector_leads_where_its_endpoints_say(cluster: Cluster) -> None:
    """Also its name, where it is headless; and the first connection after the endpoints were written."""
    await cluster.create(SERVICES, "web", spec={"ports": [{"port": 80}]})
    await cluster.create(SERVICES, "bare", spec={"clusterIP": "None"})
    await cluster.run(SERVER, name="server", container_fields={"ports": [{"containerPort": 8080}]})
    served = await cluster.until(lambda found: found["status"].get("podIP"), "server")
    address = served["status"]["podIP"]
    for service in ("web", "bare"):
        fields: Object = {
            "addressType": "IPv4", "endpoints": [{"addresses": [address]}], "ports": [{"port": 8080}],
        }  # fmt: skip
        metadata: Object = {"name": f"{service}-mine", "labels": {"kubernetes.io/service-name": service}}
        await cluster.create(ENDPOINT_SLICES, metadata["name"], metadata=metadata, **fields)
    assert await cluster.output(CLIENT, name="client") == "server\n"
    assert await cluster.output("getent hosts bare | cut -d' ' -f1", name="asking") == f"{address}\n"
