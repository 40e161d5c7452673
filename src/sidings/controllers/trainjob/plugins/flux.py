"""``mlPolicy.flux``: the nodes become one Flux instance, and the trainer's command a job in it (Trainer 2.3).

An init container brings Flux into each pod, the entry point starts a broker, and the first node submits the command.
What the scripts say is in ``flux_files``. The pods that compute are those of the replicatedJob named ``node``.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from sidings.api.objects import Object, controller_ref
from sidings.api.resources import CONFIG_MAPS, SECRETS
from sidings.api.trainer import resources, words
from sidings.controllers.trainjob import upsert
from sidings.controllers.trainjob.companions import Companion
from sidings.controllers.trainjob.errors import BuildError
from sidings.controllers.trainjob.info import PodSet, RuntimeInfo
from sidings.controllers.trainjob.plugins import flux_files

INSTALLER = "flux-installer"
INSTALLER_IMAGE = "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy"
INSTALL, CONFIG, CURVE, SOFTWARE, MEMORY = "/mnt/flux", "/etc/flux-config", "/curve", "/opt/software", "/dev/shm"
_SETTINGS = {"FLUX_VIEW_IMAGE": INSTALLER_IMAGE, "FLUX_NETWORK_DEVICE": "eth0", "FLUX_QUEUE_POLICY": "fcfs"}
"""Variables of ``spec.trainer.env`` that are meant for the installation, and their defaults."""


def enforce(info: RuntimeInfo) -> None:
    pod_set = _nodes(info)
    node = pod_set.container(words.NODE)
    if node is None:
        raise BuildError(f'the replicatedJob "{words.NODE}" has no container "{words.NODE}" for mlPolicy.flux')
    spec = pod_set.pod_spec
    upsert.volumes(spec, _volumes(info.job_name))
    upsert.mounts(
        node,
        [
            {"name": "flux-install", "mountPath": INSTALL},
            {"name": "spack-install", "mountPath": SOFTWARE},
            {"name": f"{info.job_name}-flux-entrypoint", "mountPath": CONFIG, "readOnly": True},
            {"name": "flux-curve", "mountPath": CURVE, "readOnly": True},
            {"name": "shared-memory", "mountPath": MEMORY, "readOnly": True},
        ],
    )
    spec["initContainers"] = [*(spec.get("initContainers") or ()), _installer(info)]
    _wrap_command(info, node)


def companions(info: RuntimeInfo) -> list[Companion]:
    """The scripts, and the certificate that the brokers know each other by."""
    return [
        Companion(CONFIG_MAPS, f"{info.job_name}-flux-entrypoint", lambda: _config_map(info)),
        Companion(SECRETS, f"{info.job_name}-flux-curve", lambda: _secret(info)),
    ]


def host_range(count: int, first: int = 0) -> str:
    """The numbers of ``count`` hosts as Flux writes them: ``0``, ``0-3``."""
    return str(first) if count == 1 else f"{first}-{first + count - 1}"


def processes(info: RuntimeInfo) -> int:
    """Tasks on each node."""
    own = (info.trainer or {}).get("numProcPerNode")
    return int(own if own is not None else (info.policy or {})["flux"].get("numProcPerNode") or 1)


def flags(info: RuntimeInfo) -> str:
    """Of ``flux submit``: nodes, tasks, GPUs per task where a node has any."""
    nodes = _nodes(info).count
    gpus = resources.gpus_of(resources.resources_per_node(info.job, info.runtime))
    return f"-N {nodes} -n {nodes * processes(info)}" + (f" -g {gpus}" if gpus else "")


def _nodes(info: RuntimeInfo) -> PodSet:
    pod_set = info.pod_set(words.NODE)
    if pod_set is None:
        raise BuildError(f'the runtime has no replicatedJob "{words.NODE}" for mlPolicy.flux')
    return pod_set


def _settings(info: RuntimeInfo) -> Mapping[str, str]:
    given = {item["name"]: str(item.get("value") or "") for item in (info.trainer or {}).get("env") or ()}
    return {name: given.get(name) or default for name, default in _SETTINGS.items()}


def _wrap_command(info: RuntimeInfo, node: Object) -> None:
    """What the user wants run becomes one argument of the entry point; ``job_set`` must not put it back."""
    trainer = info.trainer or {}
    command = trainer.get("command") or node.get("command") or []
    arguments = trainer.get("args")
    if arguments is None:
        arguments = node.get("args") or []
    wrapped = ["/bin/bash", f"{CONFIG}/entrypoint.sh", shlex.join([*command, *arguments])]
    node["command"] = wrapped
    node.pop("args", None)
    if trainer:
        changed = {**trainer, "command": wrapped, "args": []}
        info.job = {**info.job, "spec": {**info.job["spec"], "trainer": changed}}


def _installer(info: RuntimeInfo) -> Object:
    return {
        "name": INSTALLER,
        "image": _settings(info)["FLUX_VIEW_IMAGE"],
        "command": ["/bin/bash", f"{CONFIG}/init.sh"],
        "volumeMounts": [
            {"name": "flux-install", "mountPath": INSTALL},
            {"name": f"{info.job_name}-flux-entrypoint", "mountPath": CONFIG, "readOnly": True},
        ],
        "resources": {},
    }


def _volumes(job_name: str) -> list[Object]:
    scripts = f"{job_name}-flux-entrypoint"
    return [
        {"name": "spack-install", "emptyDir": {}},
        {"name": "flux-install", "emptyDir": {}},
        {"name": scripts, "configMap": {"name": scripts, "defaultMode": 0o755}},
        {"name": "shared-memory", "emptyDir": {"medium": "Memory"}},
        {"name": "flux-curve", "secret": {"secretName": f"{job_name}-flux-curve", "defaultMode": 0o400}},
    ]


def _config_map(info: RuntimeInfo) -> Object:
    settings = _settings(info)
    subdomain = (info.template["spec"].get("network") or {}).get("subdomain") or info.job_name
    hosts = f"{info.job_name}-{words.NODE}-0-[{host_range(_nodes(info).count)}]"
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(info, "flux-entrypoint"),
        "data": {
            "init.sh": flux_files.init_script(
                hosts, subdomain, settings["FLUX_NETWORK_DEVICE"], settings["FLUX_QUEUE_POLICY"]
            ),
            "entrypoint.sh": flux_files.entry_point(f"{info.job_name}-{words.NODE}-0-0", flags(info)),
        },
    }


def _secret(info: RuntimeInfo) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _metadata(info, "flux-curve"),
        "data": {"curve.cert": flux_files.certificate(str(info.job["metadata"]["uid"]))},
    }


def _metadata(info: RuntimeInfo, suffix: str) -> Object:
    return {
        "name": f"{info.job_name}-{suffix}",
        "namespace": info.job["metadata"]["namespace"],
        "ownerReferences": [controller_ref(info.job)],
    }
