"""``secret`` volumes; a projection names its Secret ``name``, a volume ``secretName``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidings.node.sources import Sources
from sidings.node.volumes.files import DEFAULT_MODE, Files, project


def files(source: Mapping[str, Any], sources: Sources, default_mode: int | None = None) -> Files:
    name = source.get("secretName") or source["name"]
    optional = bool(source.get("optional"))
    data = sources.secret(name, optional=optional) or {}
    mode = int(source.get("defaultMode") or default_mode or DEFAULT_MODE)
    return project(data, source.get("items"), mode, optional=optional, source=f"secret {name}")
