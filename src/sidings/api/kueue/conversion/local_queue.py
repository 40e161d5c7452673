"""LocalQueue: the usage by flavor has another name; ``status.flavors`` is only v1beta1's."""

from __future__ import annotations

from sidings.api.objects import Object


def to_stored(obj: Object) -> Object:
    return _renamed(obj, "flavorUsage", "flavorsUsage", dropped="flavors")


def from_stored(obj: Object) -> Object:
    return _renamed(obj, "flavorsUsage", "flavorUsage")


def _renamed(obj: Object, name: str, other: str, dropped: str = "") -> Object:
    status = obj.get("status")
    if not isinstance(status, dict):
        return obj
    return {
        **obj,
        "status": {other if key == name else key: value for key, value in status.items() if key != dropped},
    }
