"""Rules of probes and life-cycle hooks, and of the handlers that both have."""

from __future__ import annotations

from sidings.api.fields import FieldError, forbidden, invalid, not_supported, required
from sidings.api.names import port_name
from sidings.api.objects import Object

HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
SCHEMES = ("HTTP", "HTTPS")
BAD_PORT = "must be between 1 and 65535, inclusive"
_NOT_NEGATIVE = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")


def validate(container: Object, path: str, *, may_have: bool, grace: int) -> list[FieldError]:
    """``may_have`` is False for init containers that end; ``grace`` is the pod's, which a hook must not outlast."""
    errors = []
    for field in ("lifecycle", *PROBES):
        value = container.get(field)
        if value is None:
            continue
        at = f"{path}.{field}"
        if not may_have:
            errors.append(forbidden(at, "may not be set for init containers without restartPolicy=Always"))
        elif field == "lifecycle":
            for name in ("postStart", "preStop"):
                if value.get(name) is not None:
                    errors += _handler(value[name], f"{at}.{name}", grace)
        else:
            errors += _probe(value, field, at, grace)
    return errors


def _probe(probe: Object, field: str, path: str, grace: int) -> list[FieldError]:
    errors = _handler(probe, path, grace)
    errors += [
        invalid(f"{path}.{name}", probe[name], "must be greater than or equal to 0")
        for name in _NOT_NEGATIVE
        if (probe.get(name) or 0) < 0
    ]
    own_grace = probe.get("terminationGracePeriodSeconds")
    if own_grace is not None and own_grace <= 0:
        errors.append(invalid(f"{path}.terminationGracePeriodSeconds", own_grace, "must be greater than 0"))
    if field == "readinessProbe":
        if own_grace is not None:
            detail = "must not be set for readinessProbes"
            errors.append(invalid(f"{path}.terminationGracePeriodSeconds", own_grace, detail))
    elif probe.get("successThreshold", 1) != 1:
        errors.append(invalid(f"{path}.successThreshold", probe["successThreshold"], "must be 1"))
    return errors


def _handler(handler: Object, path: str, grace: int) -> list[FieldError]:
    present = [name for name in HANDLERS if handler.get(name) is not None]
    if not present:
        return [required(path, "must specify a handler type")]
    first, at = present[0], f"{path}.{present[0]}"
    action = handler[first]
    match first:
        case "exec":
            errors = [] if action.get("command") else [required(f"{at}.command")]
        case "httpGet":
            errors = _http_get(action, at)
        case "sleep":
            errors = _sleep(action.get("seconds") or 0, at, grace)
        case _:
            errors = _port(action.get("port", 0), f"{at}.port")
    return errors + [forbidden(f"{path}.{extra}", "may not specify more than 1 handler type") for extra in present[1:]]


def _http_get(action: Object, path: str) -> list[FieldError]:
    errors = [] if action.get("path") else [required(f"{path}.path")]
    errors += _port(action.get("port", 0), f"{path}.port")
    scheme = action.get("scheme") or ""
    if scheme not in SCHEMES:
        errors.append(not_supported(f"{path}.scheme", scheme, SCHEMES))
    return errors


def _sleep(seconds: int, path: str, grace: int) -> list[FieldError]:
    if 0 <= seconds <= grace:
        return []
    return [invalid(path, seconds, f"must be non-negative and less than terminationGracePeriodSeconds ({grace})")]


def _port(port: int | str, path: str) -> list[FieldError]:
    if isinstance(port, int):
        return [] if 1 <= port <= 65535 else [invalid(path, port, BAD_PORT)]
    return [invalid(path, port, message) for message in port_name(port)]
