"""Services between real pods: by name, to another port than the pods'."""

from __future__ import annotations

from sidings.api.conditions import is_true
from sidings.api.resources import SERVICES
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
