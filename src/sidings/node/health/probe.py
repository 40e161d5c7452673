"""Probes as a manifest writes them, with kubelet's defaults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sidings.api.objects import Object


class Kind(StrEnum):
    """What a probe decides; the value begins the messages about it, as in ``Readiness probe failed: ...``."""

    STARTUP = "Startup"
    LIVENESS = "Liveness"
    READINESS = "Readiness"


_FIELDS = {
    Kind.STARTUP: "startupProbe",
    Kind.LIVENESS: "livenessProbe",
    Kind.READINESS: "readinessProbe",
}


@dataclass(frozen=True)
class Probe:
    """One probe of one container; times in seconds."""

    kind: Kind
    handler: Object
    """The probe itself: one of ``exec``, ``httpGet``, ``tcpSocket``, ``grpc`` in it says how to ask."""
    initial_delay: float = 0
    period: float = 10
    timeout: float = 1
    successes: int = 1
    failures: int = 3
    grace: int | None = None
    """What a container that fails is given to stop, instead of the pod's grace period."""


def probes(container: Object) -> Iterator[Probe]:
    """The probes of ``container``; a field that is 0 or absent has its default, as in ``SetDefaults_Probe``."""
    for kind, field in _FIELDS.items():
        stated = container.get(field)
        if stated:
            yield Probe(
                kind,
                stated,
                stated.get("initialDelaySeconds") or 0,
                stated.get("periodSeconds") or 10,
                stated.get("timeoutSeconds") or 1,
                stated.get("successThreshold") or 1,
                stated.get("failureThreshold") or 3,
                stated.get("terminationGracePeriodSeconds"),
            )
