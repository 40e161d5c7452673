"""One pod's life, through its API object: real processes, a registry in memory."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from sidings.api.conditions import is_true
from sidings.api.resources import CLAIMS, CONFIG_MAPS, PODS, SECRETS, SERVICES, VOLUMES
from sidings.node.logical_node import NodeConfig
from sidings.node.sandbox.client import is_alive, read_status
from tests.node import clusters
from tests.node.clusters import Cluster, terminated
from tests.node.pods import container
from tests.node.waiting import until


async def test_a_pod_runs_and_succeeds(cluster: Cluster) -> None:
    await cluster.run("echo hello; sleep 0.2")
    running = await cluster.phase("Running")
    assert is_true(running, "Ready") and running["status"]["podIP"] == "10.244.1.2"
    done = await cluster.phase("Succeeded")
    assert (terminated(done)["exitCode"], terminated(done)["reason"]) == (0, "Completed")
    assert await cluster.logs() == "hello\n"
    assert "not pulled" in await cluster.event("HostSoftware")
    assert await cluster.event("Started") == "Started container c"
    assert len(await cluster.events("HostSoftware")) == 1


async def test_a_failing_command_fails_the_pod(cluster: Cluster) -> None:
    await cluster.run("exit 3")
    assert terminated(await cluster.phase("Failed"))["exitCode"] == 3


@pytest.mark.parametrize(("command", "code"), [("no-such-command", 127), ("/etc/hosts", 126)])
async def test_a_command_that_cannot_run_is_a_start_error(cluster: Cluster, command: str, code: int) -> None:
    await cluster.run("", container_fields={"command": [command]})
    ended = terminated(await cluster.phase("Failed"))
    assert (ended["exitCode"], ended["reason"]) == (code, "StartError")
    assert command in ended["message"]
    assert ended["message"] in await cluster.event("Failed")


async def test_no_command_at_all_is_said_and_not_failed(cluster: Cluster) -> None:
    await cluster.run("", container_fields={"command": []})
    found = await cluster.until(lambda pod: (_waiting(pod) or {}).get("reason") == "CreateContainerError")
    assert "no command specified" in _waiting(found)["message"]


async def test_init_containers_run_first_and_hand_over_through_a_volume(cluster: Cluster) -> None:
    mount = {"volumeMounts": [{"name": "v", "mountPath": "/share"}]}
    text = await cluster.output(
        "cat /share/x",
        container_fields=mount,
        volumes=[{"name": "v", "emptyDir": {}}],
        initContainers=[
            container("one", command=["sh", "-c", "echo 1 > /share/x"], **mount),
            container("two", command=["sh", "-c", "echo 2 >> /share/x"], **mount),
        ],
    )
    assert text == "1\n2\n"
    found = await cluster.get()
    assert [status["ready"] for status in found["status"]["initContainerStatuses"]] == [True, True]


async def test_a_failed_init_container_fails_the_pod_and_the_rest_never_starts(cluster: Cluster) -> None:
    await cluster.run("echo never", initContainers=[container("i", command=["false"])])
    found = await cluster.phase("Failed")
    assert terminated(found)["reason"] == "ContainerStatusUnknown"


async def test_on_failure_restarts_in_place_once_at_once_and_then_waits(cluster: Cluster) -> None:
    await cluster.run("echo attempt; exit 1", restartPolicy="OnFailure")
    found = await cluster.until(lambda pod: (_waiting(pod) or {}).get("reason") == "CrashLoopBackOff")
    shown = found["status"]["containerStatuses"][0]
    assert (shown["restartCount"], shown["lastState"]["terminated"]["exitCode"]) == (1, 1)
    assert await cluster.logs() == await cluster.logs(previous=True) == "attempt\n"
    assert "Back-off restarting failed container c" in await cluster.event("BackOff")
    await cluster.client.delete(PODS, "p", "default")
    await cluster.gone()


async def test_a_missing_config_map_is_waited_for(cluster: Cluster) -> None:
    volumes = [{"name": "v", "configMap": {"name": "settings"}}]
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/etc/settings"}]}
    await cluster.run("cat /etc/settings/a", volumes=volumes, container_fields=mounts)
    message = 'MountVolume.SetUp failed for volume "v" : configmap "settings" not found'
    assert await cluster.event("FailedMount") == message
    assert _waiting(await cluster.get()) == {"reason": "ContainerCreating", "message": message}
    await cluster.create(CONFIG_MAPS, "settings", data={"a": "found"})
    await cluster.phase("Succeeded")
    assert await cluster.logs() == "found"


async def test_a_missing_secret_in_the_environment_is_a_config_error_until_it_is_there(cluster: Cluster) -> None:
    env = [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "t"}}}]
    await cluster.run("echo $TOKEN", container_fields={"env": env})
    found = await cluster.until(lambda pod: (_waiting(pod) or {}).get("reason") == "CreateContainerConfigError")
    assert _waiting(found)["message"] == 'secret "keys" not found'
    await cluster.create(SECRETS, "keys", data={"t": base64.b64encode(b"x").decode()})
    await cluster.phase("Succeeded")
    assert await cluster.logs() == "x\n"


async def test_a_claim_keeps_its_files_between_pods_and_loses_them_with_its_object(cluster: Cluster) -> None:
    volumes = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    fields = {"volumeMounts": [{"name": "d", "mountPath": "/data"}]}
    await cluster.run("echo kept > /data/x", name="writer", volumes=volumes, container_fields=fields)
    assert await cluster.event("FailedMount") == 'persistentvolumeclaim "data" not found'
    claim = await _bound_claim(cluster, "data")
    await cluster.phase("Succeeded", name="writer")
    assert await cluster.output("cat /data/x", name="reader", volumes=volumes, container_fields=fields) == "kept\n"
    folder = cluster.directory / "claims" / f"default_data_{claim['metadata']['uid']}"
    assert (folder / "x").read_text() == "kept\n"
    await cluster.client.delete(CLAIMS, "data", "default")
    await cluster.client.patch(CLAIMS, "data", {"metadata": {"finalizers": None}}, namespace="default")
    await until(lambda: not folder.exists())


@pytest.mark.parametrize(
    ("volume", "mount", "message"),
    [
        ({"hostPath": {"path": "{state}"}}, {}, "is refused: {state} is hidden from pods"),
        (
            {"hostPath": {"path": "/etc/hosts", "type": "Directory"}},
            {},
            "hostPath type check failed: /etc/hosts is not a directory",
        ),
    ],
)
async def test_a_volume_that_may_not_be_mounted_says_why(
    cluster: Cluster,
    volume: dict,
    mount: dict,
    message: str,  # type: ignore[type-arg]
) -> None:
    state = str(cluster.directory)
    volume["hostPath"]["path"] = volume["hostPath"]["path"].format(state=state)
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/v", **mount}]}
    await cluster.run("true", volumes=[{"name": "v", **volume}], container_fields=mounts)
    assert message.format(state=state) in await cluster.event("FailedMount")


async def test_graceful_deletion_ends_with_a_terminal_status_before_the_object_goes(cluster: Cluster) -> None:
    await cluster.run("trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.05; done")
    await cluster.phase("Running")
    seen = []

    async def watch() -> None:
        async for event in cluster.client.watch(PODS, "default"):
            seen.append((event.type, event.object["status"]["phase"]))
            if event.type == "DELETED":
                return

    watching = asyncio.create_task(watch())
    await cluster.said("ready")
    await cluster.client.delete(PODS, "p", "default")
    await cluster.gone()
    await watching
    assert seen[-2:] == [("MODIFIED", "Failed"), ("DELETED", "Failed")]
    assert await cluster.event("Killing") == "Stopping container c"


async def test_who_ignores_the_signal_is_killed_after_the_grace(cluster: Cluster) -> None:
    await cluster.run(
        "trap '' TERM; while :; do sleep 0.1; done",
        terminationGracePeriodSeconds=1,
        metadata={"finalizers": ["test/keep"]},
    )
    await cluster.phase("Running")
    await cluster.client.delete(PODS, "p", "default")
    found = await cluster.phase("Failed")
    assert (terminated(found)["exitCode"], terminated(found)["signal"]) == (137, 9)
    await cluster.client.patch(PODS, "p", {"metadata": {"finalizers": None}}, namespace="default")
    await cluster.gone()


async def test_forced_deletion_kills_at_once(cluster: Cluster) -> None:
    await cluster.run("trap '' TERM; while :; do sleep 0.1; done")
    found = await cluster.phase("Running")
    status = read_status(cluster.directory / "pods" / found["metadata"]["uid"])
    assert status is not None
    await cluster.client.delete(PODS, "p", "default", grace_period_seconds=0)
    await until(lambda: not is_alive(status))
    await until(lambda: not (cluster.directory / "pods" / found["metadata"]["uid"]).exists())


async def test_a_pod_deleted_before_it_could_start_goes(cluster: Cluster) -> None:
    await cluster.run("true", volumes=[{"name": "v", "configMap": {"name": "none"}}])
    await cluster.event("FailedMount")
    await cluster.client.delete(PODS, "p", "default")
    await cluster.gone()


async def test_a_finished_pod_keeps_its_log_until_it_is_deleted(cluster: Cluster) -> None:
    await cluster.run("echo kept")
    found = await cluster.phase("Succeeded")
    assert await cluster.logs() == "kept\n"
    await cluster.client.delete(PODS, "p", "default")
    folder = cluster.directory / "pods" / found["metadata"]["uid"]
    await until(lambda: not folder.exists())


async def test_a_deadline_ends_the_pod(cluster: Cluster) -> None:
    await cluster.run("sleep 60", activeDeadlineSeconds=1)
    found = await cluster.phase("Failed")
    assert found["status"]["reason"] == "DeadlineExceeded"
    assert terminated(found)["exitCode"] == 143


async def test_simulated_gpus_are_counted_but_not_there(cluster: Cluster) -> None:
    resources = {"limits": {"nvidia.com/gpu": "2"}, "requests": {"nvidia.com/gpu": "2"}}
    env = [{"name": "PET_NPROC_PER_NODE", "value": "auto"}]
    text = await cluster.output(
        'echo "[$CUDA_VISIBLE_DEVICES] $PET_NPROC_PER_NODE"', container_fields={"resources": resources, "env": env}
    )
    assert text == "[] 2\n"
    assert "simulated" in await cluster.event("SimulatedGPUs")


async def test_peers_find_each_other_by_the_names_of_a_headless_service(cluster: Cluster) -> None:
    """The second pod asks for the first before that one is even there: the name server waits for it."""
    await cluster.create(
        SERVICES, "gang", spec={"clusterIP": "None", "selector": {"job": "x"}, "publishNotReadyAddresses": True}
    )
    fields = {"metadata": {"labels": {"job": "x"}}, "subdomain": "gang"}
    script = "echo asking; getent hosts g-0.gang || exit 3; hostname -f"
    await cluster.run(script, name="second", hostname="g-1", **fields)
    await cluster.phase("Running", name="second")
    await cluster.said("asking", "second")
    await cluster.run("sleep 60", name="first", hostname="g-0", **fields)
    await cluster.phase("Succeeded", "Failed", name="second")
    zone = "gang.default.svc.cluster.local"
    assert (await cluster.logs("second")).split() == ["asking", "10.244.1.3", f"g-0.{zone}", f"g-1.{zone}"]


async def test_the_folder_of_a_run_is_visible_writable_and_where_it_starts(cluster: Cluster) -> None:
    folder = cluster.directory.parent / "project"
    (folder / ".ssh").mkdir(parents=True)
    (folder / "script").write_text("mine")
    metadata = {"annotations": {"sidings.dev/working-directory": str(folder)}}
    text = await cluster.output("pwd; cat script; echo; echo done > result; ls -d /tmp/*", metadata=metadata)
    assert text.split()[:2] == [str(folder), "mine"]
    # Of the host's /tmp only the way to the folder, and to the Python environment where that lies there.
    prefixes = [path for path in map(Path, {sys.prefix, sys.base_prefix}) if path.is_relative_to("/tmp")]
    assert set(text.split()[2:]) == {f"/tmp/{path.parts[2]}" for path in [folder, *prefixes]}
    assert (folder / "result").read_text() == "done\n"
    assert (
        await cluster.output("pwd", name="other", metadata=metadata, container_fields={"workingDir": "/usr"})
        == "/usr\n"
    )


async def test_what_is_masked_stays_hidden_in_the_folder_of_a_run_and_in_host_paths(state_dir: Path) -> None:
    project = state_dir.parent / "project"
    secret = project / ".sidings"
    secret.mkdir(parents=True)
    (secret / "kubeconfig").write_text("token")
    fields: dict[str, Any] = {
        "metadata": {"annotations": {"sidings.dev/working-directory": str(project)}},
        "volumes": [{"name": "h", "hostPath": {"path": str(state_dir.parent)}}],
        "container_fields": {"volumeMounts": [{"name": "h", "mountPath": "/host"}]},
    }
    async for cluster in clusters.opened(state_dir, NodeConfig(masked=(secret,))):
        text = await cluster.output(f"find {project} /host | sort; cat .sidings/kubeconfig", **fields)
        assert "token" not in text
        assert text.splitlines()[:6] == [
            "/host", "/host/project", "/host/project/.sidings", "/host/state", str(project), str(secret)
        ]  # fmt: skip


async def test_python_of_the_environment_runs_also_from_a_home(cluster: Cluster) -> None:

    text = await cluster.output("command -v python; python -c 'import sys; print(sys.prefix)'; ls -A /home")
    assert text.split() == [f"{sys.prefix}/bin/python", sys.prefix] or text.split()[:2] == [
        f"{sys.prefix}/bin/python", sys.prefix
    ]  # fmt: skip


async def test_a_pod_goes_on_without_the_control_plane_and_its_end_is_recorded_later(cluster: Cluster) -> None:
    await cluster.run("echo one; sleep 0.5; echo two; exit 4")
    await cluster.phase("Running")
    await cluster.lose_agent()
    status = cluster.directory / "pods" / (await cluster.get())["metadata"]["uid"] / "status.json"
    await until(lambda: '"exit_code": 4' in status.read_text())
    assert (await cluster.get())["status"]["phase"] == "Running", "nobody was there to say it"
    await cluster.restart_agent()
    assert terminated(await cluster.phase("Failed"))["exitCode"] == 4
    assert await cluster.logs() == "one\ntwo\n"


async def test_a_running_pod_is_adopted_with_its_address_and_can_be_stopped(cluster: Cluster) -> None:
    await cluster.run("echo started $$; while :; do sleep 0.1; done")
    found = await cluster.phase("Running")
    await cluster.lose_agent()
    await cluster.restart_agent()
    await cluster.run("true", name="q")
    other = await cluster.phase("Succeeded", name="q")
    assert other["status"]["podIP"] != found["status"]["podIP"]
    again = await cluster.get()
    assert again["status"]["containerStatuses"][0]["restartCount"] == 0
    await cluster.client.delete(PODS, "p", "default", grace_period_seconds=1)
    await cluster.gone()


async def test_a_pod_deleted_while_no_agent_ran_is_cleaned_up(cluster: Cluster) -> None:
    await cluster.run("sleep 60")
    found = await cluster.phase("Running")
    await cluster.lose_agent()
    await cluster.client.delete(PODS, "p", "default", grace_period_seconds=0)
    await cluster.restart_agent()
    folder = cluster.directory / "pods" / found["metadata"]["uid"]
    await until(lambda: not folder.exists())


@pytest.mark.parametrize(("policy", "phase"), [("Never", "Failed"), ("Always", "Running")])
async def test_a_sandbox_that_was_lost_counts_as_killed_and_policy_decides(
    cluster: Cluster, policy: str, phase: str
) -> None:
    """As after a reboot: the supervisor is gone, nobody saw the end."""
    await cluster.run("sleep 60", restartPolicy=policy)
    found = await cluster.phase("Running")
    status = read_status(cluster.directory / "pods" / found["metadata"]["uid"])
    assert status is not None
    await cluster.lose_agent()
    os.kill(status.pid, signal.SIGKILL)
    await cluster.restart_agent()
    found = await cluster.until(
        lambda pod: pod["status"]["phase"] == "Failed" or pod["status"]["containerStatuses"][0]["restartCount"] == 1
    )
    assert found["status"]["phase"] == phase
    shown = found["status"]["containerStatuses"][0]
    ended = shown["state"].get("terminated") or shown["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (137, "ContainerStatusUnknown")


def _waiting(pod: dict) -> dict:  # type: ignore[type-arg]
    statuses = (pod.get("status") or {}).get("containerStatuses") or [{"state": {}}]
    return dict(statuses[0]["state"].get("waiting") or {})


async def _bound_claim(cluster: Cluster, name: str) -> dict:  # type: ignore[type-arg]
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claim = await cluster.create(CLAIMS, name, spec={**spec, "volumeName": "pv"})
    path = cluster.directory / "claims" / f"default_{name}_{claim['metadata']['uid']}"
    await cluster.create(
        VOLUMES,
        "pv",
        spec={"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": str(path)}},
    )
    await cluster.client.patch(CLAIMS, name, {"status": {"phase": "Bound"}}, namespace="default", subresource="status")
    return claim
