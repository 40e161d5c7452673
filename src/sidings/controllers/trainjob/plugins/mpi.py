"""``mlPolicy.mpi``: a launcher that reaches its nodes by SSH (OpenMPI, Trainer 2.3).

The replicatedJobs ``launcher`` and ``node`` share a key pair in a Secret, which is made once and kept; the launcher
gets a hostfile of all nodes in a ConfigMap. With ``runLauncherAsNode`` the launcher computes too and is counted among
the nodes.
"""

from __future__ import annotations

from sidings.api.objects import Object, controller_ref
from sidings.api.resources import CONFIG_MAPS, SECRETS
from sidings.api.trainer import resources, words
from sidings.controllers.trainjob import upsert
from sidings.controllers.trainjob.companions import Companion
from sidings.controllers.trainjob.errors import BuildError
from sidings.controllers.trainjob.info import PodSet, RuntimeInfo
from sidings.controllers.trainjob.plugins import rendezvous
from sidings.controllers.trainjob.plugins.ssh_keys import key_pair

OPEN_MPI = "OpenMPI"
HOSTFILE_VOLUME = "mpi-hostfile"
HOSTFILE_FOLDER, HOSTFILE = "/etc/mpi", "hostfile"
DEFAULT_SSH_MOUNT = "/root/.ssh"
_MEMBERS = (words.NODE, words.LAUNCHER)


def enforce(info: RuntimeInfo) -> None:
    policy = _policy(info)
    implementation = policy.get("mpiImplementation") or OPEN_MPI
    if implementation != OPEN_MPI:
        raise BuildError(f"MPI implementation for {implementation} doesn't supported")
    _set_node_count(info)
    for pod_set in info.pod_sets:
        if pod_set.name in _MEMBERS:
            _mount(info, pod_set)
    launcher = info.pod_set(words.LAUNCHER)
    container = launcher.container(words.NODE) if launcher else None
    if container is not None:
        upsert.env(
            container,
            [
                rendezvous.value("OMPI_MCA_orte_default_hostfile", f"{HOSTFILE_FOLDER}/{HOSTFILE}"),
                rendezvous.value("OMPI_MCA_orte_keep_fqdn_hostnames", "true"),
                rendezvous.value("OMPI_MCA_orte_set_default_slots", str(slots_of(info))),
                rendezvous.value("OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10"),
            ],
        )
    worker = info.pod_set(words.NODE)
    container = worker.container(words.NODE) if worker else None
    if container is not None and policy.get("runLauncherAsNode"):
        upsert.env(container, (info.trainer or {}).get("env") or ())


def companions(info: RuntimeInfo) -> list[Companion]:
    """The Secret with the keys and the ConfigMap with the hostfile."""
    return [
        Companion(SECRETS, f"{info.job_name}-{words.MPI_KEYS_VOLUME}", lambda: _secret(info), once=True),
        Companion(CONFIG_MAPS, f"{info.job_name}-{HOSTFILE_VOLUME}", lambda: _config_map(info)),
    ]


def slots_of(info: RuntimeInfo) -> int:
    """Processes per node: the TrainJob's, else the policy's, else one for each GPU."""
    own = (info.trainer or {}).get("numProcPerNode")
    if own is not None:
        return int(own)
    count = _policy(info).get("numProcPerNode") or 1
    if count == 1:
        gpus = resources.gpus_of(resources.resources_per_node(info.job, info.runtime))
        return max(gpus, 1)
    return int(count)


def hostfile(info: RuntimeInfo) -> str:
    """One line per pod that computes, in the order of the replicatedJobs."""
    subdomain = (info.template["spec"].get("network") or {}).get("subdomain") or info.job_name
    members = (words.NODE, words.LAUNCHER) if _policy(info).get("runLauncherAsNode") else (words.NODE,)
    return "".join(
        f"{info.job_name}-{pod_set.name}-0-{index}.{subdomain} slots={slots_of(info)}\n"
        for pod_set in info.pod_sets
        if pod_set.name in members
        for index in range(pod_set.count)
    )


def _policy(info: RuntimeInfo) -> Object:
    policy: Object = (info.policy or {})["mpi"]
    return policy


def _set_node_count(info: RuntimeInfo) -> None:
    """Upstream counts only the TrainJob's own number; a runtime's goes to the launcher, which carries the label."""
    nodes = (info.trainer or {}).get("numNodes")
    worker = info.pod_set(words.NODE)
    if nodes is not None and worker is not None:
        worker.count = max(nodes - 1, 1) if _policy(info).get("runLauncherAsNode") else nodes


def _mount(info: RuntimeInfo, pod_set: PodSet) -> None:
    volumes = [_ssh_volume(info.job_name)]
    mounts = [{"name": words.MPI_KEYS_VOLUME, "mountPath": _policy(info).get("sshAuthMountPath") or DEFAULT_SSH_MOUNT}]
    if pod_set.name == words.LAUNCHER:
        volumes.append(_hostfile_volume(info.job_name))
        mounts.append({"name": HOSTFILE_VOLUME, "mountPath": HOSTFILE_FOLDER})
    upsert.volumes(pod_set.pod_spec, volumes)
    container = pod_set.container(words.NODE)
    if container is not None:
        upsert.mounts(container, mounts)


def _ssh_volume(job_name: str) -> Object:
    return {
        "name": words.MPI_KEYS_VOLUME,
        "secret": {
            "secretName": f"{job_name}-{words.MPI_KEYS_VOLUME}",
            "defaultMode": 0o400,
            "items": [
                {"key": "ssh-privatekey", "path": "id_rsa", "mode": 0o640},
                {"key": "ssh-publickey", "path": "id_rsa.pub", "mode": 0o644},
                {"key": "ssh-publickey", "path": "authorized_keys", "mode": 0o644},
            ],
        },
    }


def _hostfile_volume(job_name: str) -> Object:
    items = [{"key": HOSTFILE, "path": HOSTFILE, "mode": 0o444}]
    return {"name": HOSTFILE_VOLUME, "configMap": {"name": f"{job_name}-{HOSTFILE_VOLUME}", "items": items}}


def _secret(info: RuntimeInfo) -> Object:
    private, public = key_pair()
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _metadata(info, words.MPI_KEYS_VOLUME),
        "type": "kubernetes.io/ssh-auth",
        "immutable": True,
        "data": {"ssh-privatekey": private, "ssh-publickey": public},
    }


def _config_map(info: RuntimeInfo) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(info, HOSTFILE_VOLUME),
        "data": {HOSTFILE: hostfile(info)},
    }


def _metadata(info: RuntimeInfo, suffix: str) -> Object:
    return {
        "name": f"{info.job_name}-{suffix}",
        "namespace": info.job["metadata"]["namespace"],
        "ownerReferences": [controller_ref(info.job)],
    }
