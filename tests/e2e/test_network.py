"""What a pod reaches through a real engine: the API server as any client in a cluster does, Services, the outside."""

from __future__ import annotations

import socket
import urllib.request

import pytest

from tests.e2e.machine import Machine, pod, wait_for
from tests.e2e.ordinary_user import ordinary_user

pytestmark = pytest.mark.e2e

IN_CLUSTER = """python3 -c '
import json, os, ssl, urllib.request
folder = "/var/run/secrets/kubernetes.io/serviceaccount/"
host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
trust = ssl.create_default_context(cafile=folder + "ca.crt")
token = open(folder + "token").read()
for server in (f"{host}:{port}", "kubernetes.default.svc", "kubernetes.default"):
    asked = urllib.request.Request(f"https://{server}/api/v1/namespaces/default/pods/me")
    asked.add_header("Authorization", "Bearer " + token)
    print(server, json.load(urllib.request.urlopen(asked, context=trust, timeout=10))["metadata"]["name"])
'"""
MAY_READ = """
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: default, namespace: default}]
"""


def test_a_pod_reaches_the_api_server_with_the_in_cluster_configuration(cluster: Machine) -> None:
    cluster.apply(MAY_READ)
    cluster.apply(pod("me", IN_CLUSTER))
    cluster.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/me", "--timeout=180s")
    lines = cluster.kubectl("logs", "me").split("\n")
    assert lines[:3] == ["10.96.0.1:443 me", "kubernetes.default.svc me", "kubernetes.default me"]


WEB = """
apiVersion: v1
kind: Service
metadata: {{name: web}}
spec:
  type: NodePort
  selector: {{app: web}}
  ports: [{{name: http, port: 80, targetPort: http, nodePort: {node_port}}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: server, labels: {{app: web}}}}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: python
    command: [python3, -m, http.server, "8080", -d, /etc]
    ports: [{{name: http, containerPort: 8080}}]
    readinessProbe: {{httpGet: {{port: http}}, periodSeconds: 1}}
    securityContext: {{runAsNonRoot: true, capabilities: {{drop: [ALL]}}, seccompProfile: {{type: RuntimeDefault}}}}
"""
CLIENT = """python3 -c '
import socket, urllib.request
for name in ("web", "web.default.svc.cluster.local", "10.244.1.1:{node_port}"):
    print(urllib.request.urlopen(f"http://{{name}}/hostname", timeout=10).read().decode(), end="")
try:
    socket.create_connection(("127.0.0.1", {engine_port}), 5)
except ConnectionRefusedError:
    print("the engine is out of reach")
'"""
POLICY = """
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: nobody}
spec: {podSelector: {}}
"""


def _free_node_port() -> int:
    for port in range(30000, 32768):
        with socket.socket() as trying:
            if trying.connect_ex(("127.0.0.1", port)):
                return port
    raise AssertionError("all node ports are taken")


def _get(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/hostname", timeout=10) as answer:
        return str(answer.read().decode())


def _serve_and_ask(machine: Machine, node_port: int) -> str:
    """What a client pod has seen of a Service of the type NodePort."""
    machine.apply(WEB.format(node_port=node_port))
    machine.kubectl("wait", "--for=condition=Ready", "pod/server", "--timeout=180s")
    server = machine.kubectl("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")
    machine.apply(pod("client", CLIENT.format(node_port=node_port, engine_port=server.rpartition(":")[2])))
    machine.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/client", "--timeout=180s")
    return machine.kubectl("logs", "client")


SEEN = "server\n" * 3 + "the engine is out of reach\n"


def test_a_service_of_a_restricted_pod_is_reached_from_pods_and_from_the_machine(cluster: Machine) -> None:
    node_port = _free_node_port()
    assert _serve_and_ask(cluster, node_port) == SEEN
    assert _get(node_port) == "server\n"
    slices = cluster.objects("endpointslices", "-l", "kubernetes.io/service-name=web")
    assert [(one["ports"][0]["port"], len(one["endpoints"])) for one in slices] == [(8080, 1)]
    cluster.kubectl("delete", "service", "web")


def test_a_network_policy_is_stored_and_said_not_to_be_enforced(cluster: Machine) -> None:
    done = cluster.try_kubectl("apply", "-f", "-", stdin=POLICY)
    assert done.returncode == 0 and "Warning: NetworkPolicy is stored but not enforced" in done.stderr
    assert "nobody" in cluster.kubectl("get", "netpol")
    cluster.kubectl("delete", "netpol", "nobody")


def test_two_users_of_one_machine_do_not_meet(cluster: Machine) -> None:
    """Addresses, names and homes are each user's own; of the one loopback, the second hears that a port is taken."""
    node_port = _free_node_port()
    with ordinary_user() as other:
        other.ok("up")
        assert _serve_and_ask(cluster, node_port) == SEEN
        assert _serve_and_ask(other, node_port) == SEEN
        wait_for(lambda: "NodePortNotListening" in other.reasons("Service", "web"))
        for machine in (cluster, other):
            assert machine.object("pod", "server")["status"]["podIP"].startswith("10.244.1.")
        other.ok("down", "--force")
    assert _get(node_port) == "server\n"
    cluster.kubectl("delete", "service", "web")
