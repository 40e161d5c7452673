"""The gate ``TrainJobStatus``: pods learn where to report progress and get a token for that (Trainer 2.3, alpha).

The token is for one TrainJob's status and nothing else. The server is this engine's API server, under the name that its
certificate has for pods.
"""

from __future__ import annotations

from typing import NamedTuple

from sidings.api.objects import Object, controller_ref
from sidings.api.resources import CONFIG_MAPS
from sidings.api.trainer import words
from sidings.controllers.trainjob import upsert
from sidings.controllers.trainjob.companions import Companion
from sidings.controllers.trainjob.info import RuntimeInfo
from sidings.controllers.trainjob.plugins import rendezvous

VOLUME, FOLDER = "kubeflow-trainer-token", "/var/run/secrets/kubeflow/trainer"
EXPIRATION_SECONDS = 3600


class StatusServer(NamedTuple):
    """``url`` without a path; ``authority`` is the certificate (PEM) that vouches for it."""

    url: str
    authority: str


def enforce(info: RuntimeInfo, server: StatusServer) -> None:
    audience = words.status_audience(info.job["metadata"]["namespace"], info.job_name)
    variables = [
        rendezvous.value("KUBEFLOW_TRAINER_SERVER_URL", f"{server.url}/apis/{audience}"),
        rendezvous.value("KUBEFLOW_TRAINER_SERVER_CA_CERT", f"{FOLDER}/ca.crt"),
        rendezvous.value("KUBEFLOW_TRAINER_SERVER_TOKEN", f"{FOLDER}/token"),
    ]
    for pod_set in info.training():
        upsert.volumes(pod_set.pod_spec, [_volume(info.job_name, audience)])
        for container in pod_set.pod_spec.get("containers") or ():
            upsert.env(container, variables)
            upsert.mounts(container, [{"name": VOLUME, "mountPath": FOLDER, "readOnly": True}])


def companions(info: RuntimeInfo, server: StatusServer) -> list[Companion]:
    """The certificate in a ConfigMap, because pods cannot read those of other namespaces."""
    config_map: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": _config_map(info.job_name),
            "namespace": info.job["metadata"]["namespace"],
            "ownerReferences": [controller_ref(info.job)],
        },
        "data": {"ca.crt": server.authority},
    }
    return [Companion(CONFIG_MAPS, _config_map(info.job_name), lambda: config_map)]


def _config_map(job_name: str) -> str:
    return f"{job_name}-tls-config"


def _volume(job_name: str, audience: str) -> Object:
    token = {"audience": audience, "expirationSeconds": EXPIRATION_SECONDS, "path": "token"}
    authority = {"name": _config_map(job_name), "items": [{"key": "ca.crt", "path": "ca.crt"}]}
    return {"name": VOLUME, "projected": {"sources": [{"serviceAccountToken": token}, {"configMap": authority}]}}
