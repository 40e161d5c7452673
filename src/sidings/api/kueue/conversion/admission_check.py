"""AdmissionCheck: ``retryDelayMinutes`` has no successor."""

from __future__ import annotations

from sidings.api.objects import Object


def to_stored(obj: Object) -> Object:
    spec = obj.get("spec")
    if not isinstance(spec, dict):
        return obj
    return {**obj, "spec": {key: value for key, value in spec.items() if key != "retryDelayMinutes"}}
