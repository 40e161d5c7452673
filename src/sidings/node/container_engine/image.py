"""Image references and what an image says about its containers. Pure.

References are read as Kubernetes reads them (``k8s.io/kubernetes/pkg/util/parsers``, on the grammar of
``distribution/reference``): without a registry they mean docker.io, without tag or digest the tag ``latest``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_DOMAIN = (
    r"(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[0-9a-fA-F:]+\])"
)
_REFERENCE = re.compile(
    rf"(?:(?P<domain>{_DOMAIN}(?::[0-9]+)?)/)?(?P<path>{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?:@(?P<digest>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?",
    re.ASCII,
)
_ID = re.compile(r"[a-f0-9]{64}")
DEFAULT_DOMAIN, OFFICIAL = "docker.io", "library"


@dataclass(frozen=True)
class Image:
    """An image that is on this machine."""

    id: str
    """``sha256:...``."""
    reference: str
    """For ``imageID``: its digest at the registry it came from, else its id."""
    size: int = 0
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    user: str = ""
    stop_signal: str = ""


def is_reference(text: str) -> bool:
    """Whether ``text`` can name an image at all."""
    return bool(_REFERENCE.fullmatch(text)) and not _ID.fullmatch(text)


def full_name(text: str) -> str:
    """``text`` with its registry and tag spelled out, as it is pulled."""
    match = _REFERENCE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is no image reference")
    domain, path = match["domain"], match["path"]
    # A first part that has neither dot nor port and is not localhost is a user of docker.io.
    if domain and not (set(domain) & set(".:") or domain == "localhost" or domain != domain.lower()):
        domain, path = "", f"{domain}/{path}"
    if not domain:
        domain = DEFAULT_DOMAIN
        path = path if "/" in path else f"{OFFICIAL}/{path}"
    tag = f":{match['tag']}" if match["tag"] else ""
    digest = f"@{match['digest']}" if match["digest"] else ""
    return f"{domain}/{path}{tag or ('' if digest else ':latest')}{digest}"


def parse_inspection(text: str) -> Image:
    """The answer of ``image inspect``, of podman as of docker."""
    found: Mapping[str, Any] = json.loads(text)[0]
    config = found.get("Config") or {}
    id_ = found["Id"] if found["Id"].startswith("sha256:") else f"sha256:{found['Id']}"
    digests = found.get("RepoDigests") or []
    return Image(
        id=id_,
        reference=digests[0] if digests else id_,
        size=int(found.get("Size") or 0),
        entrypoint=tuple(config.get("Entrypoint") or ()),
        command=tuple(config.get("Cmd") or ()),
        user=str(config.get("User") or found.get("User") or ""),
        stop_signal=str(config.get("StopSignal") or ""),
    )
