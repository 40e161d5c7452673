"""What a pod reaches through a real engine: the API server as any client in a cluster does, Services, the outside."""

from __future__ import annotations

import pytest

from tests.e2e.machine import Machine, pod

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
    cluster.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/me", "--timeout=60s")
    lines = cluster.kubectl("logs", "me").split("\n")
    assert lines[:3] == ["10.96.0.1:443 me", "kubernetes.default.svc me", "kubernetes.default me"]
