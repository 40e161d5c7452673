"""Every pod runs as a service account of its namespace and finds that account's token at the usual path.

Upstream this is the plug-in ServiceAccount (``plugin/pkg/admission/serviceaccount``, v1.36). What it mounts is the
projected volume ``kube-api-access-xxxxx``: a token that the node agent asks for and renews, the certificate authority
behind the API server, and the name of the namespace. ``automountServiceAccountToken: false`` on the pod, or on the
account where the pod says nothing, leaves it out; a container that mounts something else there keeps it.
"""

from __future__ import annotations

import random

from sidings.api import names
from sidings.api.objects import Object, uid_of
from sidings.api.resources import PODS, SERVICE_ACCOUNTS
from sidings.api.service_accounts import DEFAULT_ACCOUNT, ROOT_CA, TOKEN_DIRECTORY
from sidings.api.status import Forbidden, NotFound
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request

VOLUME_PREFIX = "kube-api-access-"
TOKEN_SECONDS = 3607
"""An hour and a little, so that these tokens can be told from those that somebody asked for with a round number."""
FILE_MODE = 0o644


class ServiceAccount(Plugin):
    """``default`` is taken for granted: its controller makes it a moment after the namespace."""

    def admit(self, request: Request, reader: Reader) -> None:
        if not request.concerns(PODS, Operation.CREATE):
            return
        pod = request.new
        spec = pod["spec"]
        name = spec.get("serviceAccountName") or DEFAULT_ACCOUNT
        account = _account(request, reader, name)
        # The API has both spellings; the short one is deprecated and still what some clients read.
        spec["serviceAccountName"] = spec["serviceAccount"] = name
        if _automounts(spec, account):
            mount_token(pod)
        if not spec.get("imagePullSecrets") and account.get("imagePullSecrets"):
            spec["imagePullSecrets"] = [dict(each) for each in account["imagePullSecrets"]]


def _account(request: Request, reader: Reader, name: str) -> Object:
    try:
        return reader.get(SERVICE_ACCOUNTS, name, request.namespace)
    except NotFound as error:
        if name == DEFAULT_ACCOUNT:
            return {}
        raise Forbidden(
            f'pods "{request.name}" is forbidden: error looking up service account {request.namespace}/{name}: '
            f'serviceaccount "{name}" not found',
            name=request.name,
            kind=PODS.plural,
        ) from error


def _automounts(spec: Object, account: Object) -> bool:
    for each in (spec, account):
        if (wanted := each.get("automountServiceAccountToken")) is not None:
            return bool(wanted)
    return True


def mount_token(pod: Object) -> None:
    """Give every container of ``pod`` the token volume; one that has such a volume already shares that."""
    spec = pod["spec"]
    volumes = spec.get("volumes") or []
    present = next((volume["name"] for volume in volumes if volume["name"].startswith(VOLUME_PREFIX)), "")
    # The uid is random already; a name derived from it is as good as another draw.
    name = present or names.generate_name(VOLUME_PREFIX, random.Random(uid_of(pod)))
    mounted = False
    for field in ("initContainers", "containers"):
        for container in spec.get(field) or ():
            mounts = container.get("volumeMounts") or []
            if any(mount["mountPath"] == TOKEN_DIRECTORY for mount in mounts):
                continue
            container["volumeMounts"] = [*mounts, {"name": name, "readOnly": True, "mountPath": TOKEN_DIRECTORY}]
            mounted = True
    if mounted and not present:
        spec["volumes"] = [*volumes, {"name": name, "projected": _sources()}]


def _sources() -> Object:
    return {
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": TOKEN_SECONDS, "path": "token"}},
            {"configMap": {"name": ROOT_CA, "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {
                "downwardAPI": {
                    "items": [
                        {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
                    ]
                }
            },
        ],
        "defaultMode": FILE_MODE,
    }
