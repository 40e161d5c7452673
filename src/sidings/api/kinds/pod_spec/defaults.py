"""Defaults of a pod spec. They are part of the object: clients, patches and immutability checks see them."""

from __future__ import annotations

from typing import Any

from sidings.api.objects import Object

DEFAULT_MODE = 0o644
"""Permissions of files from ConfigMaps, Secrets and the downward API."""
TOKEN_SECONDS = 3600

_SOURCES_WITH_MODE = ("secret", "configMap", "downwardAPI", "projected")


def default_pod_spec(spec: Object) -> None:
    """Fills in ``spec`` in place; running it again changes nothing."""
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("schedulerName", "default-scheduler")
    spec.setdefault("securityContext", {})
    spec.setdefault("terminationGracePeriodSeconds", 30)
    # One field under two names: Go's conversion reads either and writes both.
    if account := spec.get("serviceAccountName") or spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    for field in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(field) or ():
            _default_container(container, host_network=bool(spec.get("hostNetwork")))
    for volume in spec.get("volumes") or ():
        _default_volume(volume)


def _default_container(container: Object, *, host_network: bool) -> None:
    container.setdefault("imagePullPolicy", pull_policy(container.get("image") or ""))
    container.setdefault("resources", {})
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
        if host_network:
            port.setdefault("hostPort", port.get("containerPort"))
    for variable in container.get("env") or ():
        _default_field_ref(variable.get("valueFrom"))
        if variable.get("value") == "":
            del variable["value"]  # the zero value, which Go does not write
    for field in ("livenessProbe", "readinessProbe", "startupProbe"):
        if container.get(field):
            _default_probe(container[field])
    for handler in (container.get("lifecycle") or {}).values():
        if isinstance(handler, dict):
            _default_http_get(handler)


def pull_policy(image: str) -> str:
    """``Always`` for an image without a tag or with ``:latest``, ``IfNotPresent`` for one that names its content."""
    if "@" in image:
        return "IfNotPresent"
    tag = image.rpartition("/")[2].partition(":")[2]
    return "Always" if tag in ("", "latest") else "IfNotPresent"


def _default_probe(probe: Object) -> None:
    probe.setdefault("timeoutSeconds", 1)
    probe.setdefault("periodSeconds", 10)
    probe.setdefault("successThreshold", 1)
    probe.setdefault("failureThreshold", 3)
    _default_http_get(probe)
    if probe.get("grpc"):
        probe["grpc"].setdefault("service", "")


def _default_http_get(handler: Object) -> None:
    request = handler.get("httpGet")
    if request:
        request.setdefault("path", "/")
        request.setdefault("scheme", "HTTP")


def _default_volume(volume: Object) -> None:
    if set(volume) <= {"name"}:
        volume["emptyDir"] = {}
    for name in _SOURCES_WITH_MODE:
        if volume.get(name) is not None:
            volume[name].setdefault("defaultMode", DEFAULT_MODE)
    if volume.get("hostPath") is not None:
        volume["hostPath"].setdefault("type", "")
    for item in (volume.get("downwardAPI") or {}).get("items") or ():
        _default_field_ref(item)
    for source in (volume.get("projected") or {}).get("sources") or ():
        if source.get("serviceAccountToken") is not None:
            source["serviceAccountToken"].setdefault("expirationSeconds", TOKEN_SECONDS)
        for item in (source.get("downwardAPI") or {}).get("items") or ():
            _default_field_ref(item)
    if (volume.get("ephemeral") or {}).get("volumeClaimTemplate"):
        volume["ephemeral"]["volumeClaimTemplate"].setdefault("spec", {}).setdefault("volumeMode", "Filesystem")


def _default_field_ref(holder: Any) -> None:
    if holder and holder.get("fieldRef"):
        holder["fieldRef"].setdefault("apiVersion", "v1")
