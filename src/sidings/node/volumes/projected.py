"""``projected`` volumes: several sources in one directory.

A ``serviceAccountToken`` source is answered by the API (``tokens``), so its text is handed in: one per (audience,
seconds) asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sidings.api.objects import Object
from sidings.node.environment import NodeFacts
from sidings.node.sources import Sources
from sidings.node.volumes import config_map, downward_api, secret
from sidings.node.volumes.files import DEFAULT_MODE, File, Files, checked_path

TokenKey = tuple[str, int]
"""Audience (empty: the API server) and seconds of life."""
Tokens = Mapping[TokenKey, str]
DEFAULT_TOKEN_SECONDS = 3600


def files(source: Mapping[str, Any], pod: Object, sources: Sources, node: NodeFacts, tokens: Tokens) -> Files:
    mode = int(source.get("defaultMode") or DEFAULT_MODE)
    made: Files = {}
    for part in source.get("sources") or ():
        if "configMap" in part:
            made |= config_map.files(part["configMap"], sources, mode)
        elif "secret" in part:
            made |= secret.files(part["secret"], sources, mode)
        elif "downwardAPI" in part:
            made |= downward_api.files(part["downwardAPI"], pod, node, mode)
        elif "serviceAccountToken" in part:
            wanted = part["serviceAccountToken"]
            made[checked_path(wanted["path"])] = File(tokens[token_key(wanted)].encode(), mode)
    return made


def token_key(wanted: Mapping[str, Any]) -> TokenKey:
    return str(wanted.get("audience") or ""), int(wanted.get("expirationSeconds") or DEFAULT_TOKEN_SECONDS)


def wanted_tokens(pod: Object) -> Iterator[TokenKey]:
    """The tokens that the pod's volumes ask for."""
    for volume in pod["spec"].get("volumes") or ():
        for part in (volume.get("projected") or {}).get("sources") or ():
            if "serviceAccountToken" in part:
                yield token_key(part["serviceAccountToken"])
