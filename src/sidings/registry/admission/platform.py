"""Whether a component's webhooks answer: those of one that is switched off are gone with it, as on OpenShift AI."""

from __future__ import annotations

from sidings.api.platform import components
from sidings.api.platform.components import Component
from sidings.registry.admission.plugin import Reader


def is_on(component: Component, reader: Reader) -> bool:
    """By the platform's objects as they are stored now."""
    clusters, job_set, kueue = map(reader.list, components.SWITCHES)
    return components.removed_by(component, clusters, job_set, kueue) is None
