"""Rules of containers: names, images, ports, environment, mounts, resources, probes."""

from __future__ import annotations

from collections.abc import Mapping

from sidings.api.fields import FieldError, duplicate, invalid, not_supported, required
from sidings.api.kinds.pod_spec import environment, probes, resources, restarting, security, volumes
from sidings.api.names import dns1123_label, port_name
from sidings.api.objects import Object

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
PROTOCOLS = ("SCTP", "TCP", "UDP")
MESSAGE_POLICIES = ("FallbackToLogsOnError", "File")


def validate(spec: Object, path: str, known_volumes: Mapping[str, Object]) -> list[FieldError]:
    """Containers, then init containers; names are unique over both."""
    main = spec.get("containers") or []
    if not main:
        return [required(f"{path}.containers")]
    errors: list[FieldError] = []
    names: set[str] = set()
    taken: set[str] = set()
    for field, containers in (("containers", main), ("initContainers", spec.get("initContainers") or [])):
        for index, container in enumerate(containers):
            at = f"{path}.{field}[{index}]"
            errors += _validate_common(container, at, known_volumes)
            name = container.get("name") or ""
            if name in names:
                errors.append(duplicate(f"{at}.name", name))
            elif name:
                names.add(name)
            may_have = field == "containers" or _stays(container)
            grace = spec.get("terminationGracePeriodSeconds") or 0
            errors += probes.validate(container, at, may_have=may_have, grace=grace)
            errors += _validate_host_ports(container.get("ports") or [], f"{at}.ports", taken)
    return errors


def _stays(init_container: Object) -> bool:
    return init_container.get("restartPolicy") == "Always"


def _validate_common(container: Object, path: str, known_volumes: Mapping[str, Object]) -> list[FieldError]:
    name, image = container.get("name") or "", container.get("image") or ""
    if name:
        errors = [invalid(f"{path}.name", name, message) for message in dns1123_label(name)]
    else:
        errors = [required(f"{path}.name")]
    if not image:
        errors.append(required(f"{path}.image"))
    elif image != image.strip():
        errors.append(invalid(f"{path}.image", image, "must not have leading or trailing whitespace"))
    policy = container.get("terminationMessagePolicy") or ""
    if policy not in MESSAGE_POLICIES:
        at = f"{path}.terminationMessagePolicy"
        errors.append(not_supported(at, policy, MESSAGE_POLICIES) if policy else required(at))
    errors += _validate_ports(container.get("ports") or [], f"{path}.ports")
    errors += environment.validate(container.get("env") or [], f"{path}.env")
    errors += environment.validate_sources(container.get("envFrom") or [], f"{path}.envFrom")
    errors += volumes.validate_mounts(container.get("volumeMounts") or [], known_volumes, f"{path}.volumeMounts")
    pull = container.get("imagePullPolicy") or ""
    if pull not in PULL_POLICIES:
        at = f"{path}.imagePullPolicy"
        errors.append(not_supported(at, pull, PULL_POLICIES) if pull else required(at))
    errors += resources.validate(container.get("resources") or {}, f"{path}.resources")
    errors += restarting.validate(container, path)
    errors += security.validate_container(container, path)
    return errors


def _validate_ports(ports: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, port in enumerate(ports):
        at = f"{path}[{index}]"
        name = port.get("name") or ""
        if name:
            errors += [invalid(f"{at}.name", name, message) for message in port_name(name)]
            if name in names:
                errors.append(duplicate(f"{at}.name", name))
            names.add(name)
        number, on_host = port.get("containerPort") or 0, port.get("hostPort") or 0
        if number == 0:
            errors.append(required(f"{at}.containerPort"))
        elif not 1 <= number <= 65535:
            errors.append(invalid(f"{at}.containerPort", number, probes.BAD_PORT))
        if on_host and not 1 <= on_host <= 65535:
            errors.append(invalid(f"{at}.hostPort", on_host, probes.BAD_PORT))
        protocol = port.get("protocol") or ""
        if protocol not in PROTOCOLS:
            errors.append(
                not_supported(f"{at}.protocol", protocol, PROTOCOLS) if protocol else required(f"{at}.protocol")
            )
    return errors


def _validate_host_ports(ports: list[Object], path: str, taken: set[str]) -> list[FieldError]:
    """No two ports of a pod are the same one of the host; ``taken`` grows."""
    errors = []
    for index, port in enumerate(ports):
        if on_host := port.get("hostPort"):
            place = f"{port.get('protocol') or ''}/{port.get('hostIP') or ''}/{on_host}"
            if place in taken:
                errors.append(duplicate(f"{path}[{index}].hostPort", place))
            taken.add(place)
    return errors
