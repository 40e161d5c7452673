"""``file://`` as the source of an initializer: a path of this machine, mounted into the initializer's pod.

Upstream has no such scheme; it is here for machines without a network. The folder that holds the path is mounted
read-only at a place of its own, and ``SOURCE_PATH`` tells the program where the path is in the pod. A path that is not
there is the program's to tell: only its folder must exist.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from sidings.api.objects import Object
from sidings.controllers.trainjob import upsert

STORAGE_URI, SOURCE_PATH = "STORAGE_URI", "SOURCE_PATH"
VOLUME, MOUNT_PATH = "initializer-source", "/mnt/initializer-source"


def mount(pod_spec: Object, container: Object) -> None:
    """Give ``container`` the path that its ``STORAGE_URI`` names, if that is one of this machine."""
    uri = next((item.get("value") for item in container.get("env") or () if item.get("name") == STORAGE_URI), None)
    parts = urlsplit(uri or "")
    path = PurePosixPath(unquote(parts.path))
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not path.name:
        return
    host_path = {"path": str(path.parent), "type": "Directory"}
    upsert.volumes(pod_spec, [{"name": VOLUME, "hostPath": host_path}])
    upsert.mounts(container, [{"name": VOLUME, "mountPath": MOUNT_PATH, "readOnly": True}])
    upsert.env(container, [{"name": SOURCE_PATH, "value": f"{MOUNT_PATH}/{path.name}"}])
