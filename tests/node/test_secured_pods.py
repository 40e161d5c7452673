"""What a ``securityContext`` does to real pods, and what a pod is told that cannot have what it asks for."""

from __future__ import annotations

import os
from typing import Any

import pytest

from sidings.api.resources import EVENTS
from tests.node.clusters import Cluster

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root of the machine can give files to others")
OPENSHIFT = {
    "runAsNonRoot": True,
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


async def _output(cluster: Cluster, script: str, context: dict[str, Any], **spec: Any) -> str:
    return await cluster.output(script, container_fields={"securityContext": context, **spec.pop("fields", {})}, **spec)


async def test_a_manifest_of_openshift_runs_as_somebody_who_has_a_name_and_places_to_write(cluster: Cluster) -> None:
    script = "id -u; id -un; touch ~/a /workspace/b /tmp/c && echo written > /dev/stdout; python3 -c 'print(1)'"
    assert await _output(cluster, script, OPENSHIFT) == "1000650000\n1000650000\nwritten\n1\n"


@needs_root
async def test_volumes_belong_to_the_fs_group(cluster: Cluster) -> None:
    script = "id -u; id -G; stat -c '%g %A' /data; touch /data/x; stat -c %g /data/x"
    text = await _output(
        cluster,
        script,
        {"runAsUser": 1000, "runAsGroup": 2000},
        fields={"volumeMounts": [{"name": "data", "mountPath": "/data"}]},
        volumes=[{"name": "data", "emptyDir": {}}],
        securityContext={"fsGroup": 3000},
    )
    assert text == "1000\n2000 3000\n3000 drwxrwsrwx\n3000\n"


async def test_a_read_only_root_leaves_volumes_alone(cluster: Cluster) -> None:
    places = "/ /tmp /root /workspace /run /data /tmp/volume"
    script = f"for place in {places}; do touch $place/x 2>/dev/null && echo $place; done"
    mounts = [{"name": "a", "mountPath": "/data"}, {"name": "b", "mountPath": "/tmp/volume"}]
    text = await _output(
        cluster,
        script + "; true",
        {"readOnlyRootFilesystem": True},
        fields={"volumeMounts": mounts},
        volumes=[{"name": name, "emptyDir": {}} for name in "ab"],
    )
    assert text == "/data\n/tmp/volume\n"


@pytest.mark.parametrize(
    ("context", "cause"),
    [
        ({"privileged": True}, "privileged containers are not supported"),
        ({"capabilities": {"add": ["SYS_ADMIN"]}}, "capabilities that a container cannot have here: SYS_ADMIN"),
        ({"runAsNonRoot": True, "runAsUser": 0}, "container's runAsUser breaks non-root policy"),
    ],
)
async def test_what_a_container_cannot_have_is_told_and_it_waits(
    cluster: Cluster, context: dict[str, Any], cause: str
) -> None:
    await cluster.run("true", container_fields={"securityContext": context})
    assert cause in await cluster.event("Failed")
    found = await cluster.until(lambda pod: pod["status"].get("containerStatuses"))
    [state] = found["status"]["containerStatuses"]
    assert state["state"]["waiting"]["reason"] == "CreateContainerConfigError"


async def test_namespaces_of_others_are_refused_with_a_way_out(cluster: Cluster) -> None:
    await cluster.run("true", hostPID=True)
    text = await cluster.event("FailedCreatePodSandBox")
    assert "hostPID is not supported" in text and "remove spec.hostPID" in text


async def test_host_network_is_the_nodes(cluster: Cluster) -> None:
    server = "cd /etc; python3 -m http.server 8000 & sleep 1; hostname; exec sleep 60"
    await cluster.run(server, name="server", hostNetwork=True)
    found = await cluster.until(lambda pod: pod["status"].get("podIP"), "server")
    assert found["status"]["podIP"] == found["status"]["hostIP"] == "10.244.1.1"
    await cluster.said("node-1", "server")
    ask = (
        "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://10.244.1.1:8000/hostname\").read().decode())'"
    )
    assert (await cluster.output(ask, name="client")).strip() == "node-1"


async def test_sysctls_of_the_pods_network(cluster: Cluster) -> None:
    port_range = [{"name": "net.ipv4.ip_local_port_range", "value": "40000 40999"}]
    text = await cluster.output("cat /proc/sys/net/ipv4/ip_local_port_range", securityContext={"sysctls": port_range})
    assert text.split() == ["40000", "40999"]


async def test_a_sysctl_that_kubelet_does_not_admit_fails_the_pod(cluster: Cluster) -> None:
    await cluster.run("true", securityContext={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]})
    found = await cluster.phase("Failed")
    assert (found["status"]["reason"], found["status"]["message"]) == (
        "SysctlForbidden",
        'forbidden sysctl: "kernel.msgmax" not allowlisted',
    )
    assert (await cluster.client.list(EVENTS)).items
