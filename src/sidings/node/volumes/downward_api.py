"""``downwardAPI`` volumes: files about the pod."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidings.api.objects import Object
from sidings.node import downward
from sidings.node.environment import NodeFacts
from sidings.node.volumes.files import DEFAULT_MODE, File, Files, checked_path


def files(source: Mapping[str, Any], pod: Object, node: NodeFacts, default_mode: int | None = None) -> Files:
    mode = int(source.get("defaultMode") or default_mode or DEFAULT_MODE)
    made: Files = {}
    for item in source.get("items") or ():
        if reference := item.get("fieldRef"):
            text = downward.field_value(pod, reference["fieldPath"], node.addresses)
        else:
            reference = item["resourceFieldRef"]
            containers = [*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]]
            container = next(c for c in containers if c["name"] == reference["containerName"])
            text = downward.resource_value(container, reference, node.allocatable)
        made[checked_path(item["path"])] = File(text.encode(), int(item.get("mode") or mode))
    return made
