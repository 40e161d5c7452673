"""Downward API: the fields of a pod that its containers may see, as text.

Paths are those of ``v1.ObjectFieldSelector``; the texts are those of ``k8s.io/kubernetes/pkg/fieldpath`` (v1.36).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sidings.api.objects import Object

_SUBSCRIPT = re.compile(r"(metadata\.(?:labels|annotations))\['(.*)'\]")
_ADDRESSES = {"status.podIPs": "podIPs", "status.hostIPs": "hostIPs"}
_PLAIN = frozenset(
    {
        "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
        "status.hostIP", "status.podIP",
    }
)  # fmt: skip


def value(pod: Object, path: str) -> str:
    """The text at ``path``, empty where the pod has nothing there. Raises ``ValueError`` for any other path."""
    subscript = _SUBSCRIPT.fullmatch(path)
    if subscript:
        return str((_at(pod, subscript[1]) or {}).get(subscript[2]) or "")
    if path in ("metadata.labels", "metadata.annotations"):
        return _as_lines(_at(pod, path) or {})
    if path in _ADDRESSES:
        return ",".join(address["ip"] for address in (pod.get("status") or {}).get(_ADDRESSES[path]) or ())
    if path in _PLAIN:
        return str(_at(pod, path) or "")
    raise ValueError(f"unsupported fieldPath: {path}")


def _as_lines(entries: Mapping[str, str]) -> str:
    """Labels or annotations as a file holds them: ``key="value"``, sorted, one a line."""
    return "\n".join(f"{name}={json.dumps(entries[name], ensure_ascii=False)}" for name in sorted(entries))


def _at(pod: Object, path: str) -> Any:
    found: Any = pod
    for name in path.split("."):
        found = (found or {}).get(name)
    return found
