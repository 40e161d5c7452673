"""``configMap`` volumes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidings.node.sources import Sources
from sidings.node.volumes.files import DEFAULT_MODE, Files, project


def files(source: Mapping[str, Any], sources: Sources, default_mode: int | None = None) -> Files:
    """The files of a volume's or projection's ``configMap``; raises ``ConfigMissing``."""
    optional = bool(source.get("optional"))
    data = sources.config_map(source["name"], optional=optional) or {}
    mode = int(source.get("defaultMode") or default_mode or DEFAULT_MODE)
    return project(data, source.get("items"), mode, optional=optional, source=f"configmap {source['name']}")
