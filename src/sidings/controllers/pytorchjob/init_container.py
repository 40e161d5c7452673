"""The init container in which workers wait until their master can be found by name.

Name, image and resources are upstream's. The script is ours: it asks ``getent``, which every Linux has, where upstream
needs the ``nslookup`` of its alpine image, and looks five times a second for as long as upstream does (200 s).
"""

from __future__ import annotations

from sidings.api.objects import Object

NAME = "init-pytorch"
IMAGE = "alpine:3.10"
TRIES = 1000


def waiting_for(address: str) -> Object:
    """Waits until ``address`` has an address; ends with 1 after ``TRIES``."""
    script = (
        f"n=0; until getent hosts {address}; do n=$((n+1)); "
        f'[ "$n" -ge {TRIES} ] && {{ echo "{address} cannot be found"; exit 1; }}; sleep 0.2; done'
    )
    return {
        "name": NAME,
        "image": IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-c", script],
        "resources": {
            "limits": {"cpu": "100m", "memory": "20Mi"},
            "requests": {"cpu": "50m", "memory": "10Mi"},
        },
    }
