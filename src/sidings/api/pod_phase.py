"""When a pod is over: its phase never changes again, and it holds nothing of its node any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ENDED = ("Succeeded", "Failed")


def has_ended(pod: Mapping[str, Any]) -> bool:
    """Whether ``pod`` has succeeded or failed; one that has no phase yet has not."""
    return (pod.get("status") or {}).get("phase") in ENDED
