"""``up --merge-kubeconfig``: a context ``sidings`` in the user's own kubeconfig, beside those that are there.

Asked for only. Whatever else the file says stays, above all its current context: nobody's `kubectl` changes cluster
because an engine was started.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from sidings.host.errors import Unmergeable

NAME = "sidings"


def merge(target: Path, engine_kubeconfig: Path) -> None:
    """Put the engine's cluster, user and context into ``target`` (made if missing), in one step."""
    import yaml

    engine = json.loads(engine_kubeconfig.read_text())
    try:
        text = target.read_text()
    except FileNotFoundError:
        text = ""
    try:
        known = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        merged = merged_with(known or {}, engine)
    except (yaml.YAMLError, TypeError, KeyError) as error:
        raise Unmergeable(
            f"{target} is no kubeconfig that a context can be added to",
            cause=" ".join(str(error).split()),
            remedy=f"export KUBECONFIG={engine_kubeconfig}",
        ) from error
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    temporary.touch(0o600)
    temporary.write_text(yaml.safe_dump(merged, sort_keys=False))
    temporary.replace(target.resolve())


def merged_with(known: dict[str, Any], engine: dict[str, Any]) -> dict[str, Any]:
    """``known`` with the engine's entries in place of any of the same name; ``current-context`` untouched."""
    merged = {"apiVersion": "v1", "kind": "Config", **known}
    for section in ("clusters", "users", "contexts"):
        others = [entry for entry in known.get(section) or () if entry["name"] != NAME]
        merged[section] = [*others, *engine[section]]
    return merged
