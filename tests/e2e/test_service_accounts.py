"""What a pod may do at the API with the token that it finds at the usual path: what RBAC allows, and no more."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.e2e.machine import Machine, pod, wait_for

pytestmark = pytest.mark.e2e

FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"
PODS = "/api/v1/namespaces/default/pods"
READER = [
    {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader"}},
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "reader"},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}],
    },
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "reader"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
        "subjects": [{"kind": "ServiceAccount", "name": "reader"}],
    },
]


@pytest.fixture
def reader(cluster: Machine) -> Iterator[Machine]:
    """An engine with a running pod ``asks`` whose account may read pods."""
    for obj in READER:
        cluster.apply(json.dumps(obj))
    cluster.apply(pod("asks", "sleep 600", serviceAccountName="reader"))
    cluster.wait_for_condition("Ready", "pod/asks")
    yield cluster
    cluster.kubectl("delete", "serviceaccount,role,rolebinding", "reader", "--ignore-not-found")


def ask(machine: Machine, method: str, path: str, token: str, authority: str, body: object = None) -> tuple[int, str]:
    """Status and message of an answer to whoever has ``token``."""
    server = urlsplit(machine.kubectl("config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}"))
    assert server.hostname is not None
    context = ssl.create_default_context(cadata=authority)
    connection = http.client.HTTPSConnection(server.hostname, server.port, context=context, timeout=10)
    try:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = connection.getresponse()
        return answer.status, str(json.loads(answer.read()).get("message", ""))
    finally:
        connection.close()


def test_a_pods_token_does_what_rbac_allows_and_ends_with_the_pod(reader: Machine) -> None:
    token, authority, namespace = (
        reader.kubectl("exec", "asks", "--", "cat", f"{FOLDER}/{name}") for name in ("token", "ca.crt", "namespace")
    )
    assert namespace == "default"
    assert ask(reader, "GET", PODS, token, authority)[0] == 200
    for method, path, what in (
        ("GET", "/api/v1/namespaces/default/secrets", 'cannot list resource "secrets"'),
        ("GET", "/api/v1/pods", "at the cluster scope"),
        ("DELETE", f"{PODS}/asks", 'cannot delete resource "pods"'),
        ("GET", f"{PODS}/asks/exec?command=id", 'cannot create resource "pods/exec"'),
        ("GET", f"{PODS}/asks/log", 'cannot get resource "pods/log"'),
        ("GET", "/metrics", 'cannot get path "/metrics"'),
    ):
        code, message = ask(reader, method, path, token, authority)
        assert (code, what in message) == (403, True), (path, code, message)
    reader.kubectl("delete", "pod", "asks", "--now")
    wait_for(lambda: ask(reader, "GET", PODS, token, authority)[0] == 401)


def test_a_pod_that_wants_no_token_has_none(reader: Machine) -> None:
    reader.apply(pod("shy", f"ls {FOLDER}", automountServiceAccountToken=False))
    wait_for(lambda: reader.object("pod", "shy")["status"]["phase"] == "Failed")
    assert "volumes" not in reader.object("pod", "shy")["spec"]
