"""Kueue's configuration as administrators write it: ``Configuration`` of ``config.kueue.x-k8s.io`` (v0.19).

Upstream reads it from the ConfigMap ``kueue-manager-config`` when the manager starts; here the same ConfigMap counts as
soon as it is written. Fields that change nothing here (ports, certificates, leader election, client limits) are
accepted and mean nothing. Times are in seconds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from sidings.api import yaml_documents
from sidings.api.kueue import frameworks
from sidings.api.kueue.frameworks import Frameworks
from sidings.api.kueue.management import Management
from sidings.api.objects import Object

NAMESPACE, NAME, KEY = "kueue-system", "kueue-manager-config", "controller_manager_config.yaml"
GROUP = "config.kueue.x-k8s.io"
STRATEGIES = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class ConfigurationError(ValueError):
    """What is wrong, with the path of the field."""


@dataclass(frozen=True)
class RequeuingBackoff:
    """``waitForPodsReady.requeuingStrategy``; ``limit``: retries until a workload is deactivated, None for no limit."""

    base: float = 60.0
    longest: float = 3600.0
    limit: int | None = None

    def delay(self, count: int) -> float:
        """Before the ``count``-th retry, from 1: it doubles each time."""
        return float(min(self.base * 2 ** (count - 1), self.longest))


@dataclass(frozen=True)
class WaitForPodsReady:
    """On by default since v0.19."""

    enabled: bool = True
    timeout: float = 1800.0
    recovery_timeout: float = 1800.0
    block_admission: bool = False
    backoff: RequeuingBackoff = field(default_factory=RequeuingBackoff)


@dataclass(frozen=True)
class FairSharing:
    """``enabled``: shares decide among the queues of a cohort."""

    enabled: bool = False
    strategies: tuple[str, ...] = STRATEGIES


@dataclass(frozen=True)
class AdmissionFairSharing:
    """How the past use of LocalQueues counts; ``enabled`` by being there."""

    enabled: bool = False
    half_life: float = 0.0
    sampling_interval: float = 300.0
    weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Retention:
    """``objectRetentionPolicies.workloads``: seconds until what is over is deleted; None for never.

    ``after_deactivated`` counts where Kueue deactivated, not a person, and takes the job along.
    """

    after_finished: float | None = None
    after_deactivated: float | None = None


@dataclass(frozen=True)
class Configuration:
    """Everything; ``management`` says which jobs are held at all."""

    management: Management = field(default_factory=Management)
    wait_for_pods_ready: WaitForPodsReady = field(default_factory=WaitForPodsReady)
    fair_sharing: FairSharing = field(default_factory=FairSharing)
    admission_fair_sharing: AdmissionFairSharing = field(default_factory=AdmissionFairSharing)
    retention: Retention = field(default_factory=Retention)


def of_config_map(config_map: Object | None) -> Configuration:
    """What the ConfigMap says, the defaults where there is none. Raises ``ConfigurationError``."""
    text = ((config_map or {}).get("data") or {}).get(KEY)
    return Configuration() if not text else parse(text)


def parse(text: str) -> Configuration:
    """Raises ``ConfigurationError``."""
    try:
        (document,) = yaml_documents.load_all(text)
    except yaml.YAMLError as error:
        raise ConfigurationError(f"not valid YAML: {' '.join(str(error).split())}") from error
    except ValueError as error:
        raise ConfigurationError("one YAML document is expected") from error
    if not isinstance(document, dict) or document.get("kind") != "Configuration":
        raise ConfigurationError(f"a Configuration of {GROUP} is expected")
    return Configuration(
        _management(document),
        _pods_ready(document),
        _fair_sharing(document),
        _admission_fair_sharing(document),
        _retention(document),
    )


def _management(document: Mapping[str, Any]) -> Management:
    usual = Management()
    namespaces = document.get("managedJobsNamespaceSelector")
    without = _flag(document, "manageJobsWithoutQueueName", default=False, path="")
    integrations = document.get("integrations") or {}
    if not isinstance(integrations, dict):
        raise ConfigurationError("integrations: a mapping is expected")
    return Management(
        usual.namespaces if namespaces is None else namespaces,
        without,
        _frameworks(integrations),
        tuple(_texts(integrations, "labelKeysToCopy")),
    )


def _frameworks(integrations: Mapping[str, Any]) -> Frameworks:
    """Without a list of frameworks all are held; upstream's default, ``batch/job`` alone, is never shipped."""
    enabled = _texts(integrations, "frameworks") if integrations.get("frameworks") is not None else frameworks.NAMES
    if unknown := sorted(set(enabled) - frameworks.NAMES):
        known = ", ".join(sorted(frameworks.NAMES))
        raise ConfigurationError(f"integrations.frameworks: {unknown[0]!r} is none of {known}")
    try:
        external = frozenset(map(frameworks.external, _texts(integrations, "externalFrameworks")))
    except ValueError as error:
        raise ConfigurationError(f"integrations.externalFrameworks: {error}") from error
    return Frameworks(frozenset(enabled), external)


def _texts(integrations: Mapping[str, Any], name: str) -> list[str]:
    found = integrations.get(name) or []
    if not isinstance(found, list) or not all(isinstance(entry, str) for entry in found):
        raise ConfigurationError(f"integrations.{name}: a list of strings is expected")
    return found


def _pods_ready(document: Mapping[str, Any]) -> WaitForPodsReady:
    path = "waitForPodsReady"
    found = document.get(path)
    if found is None:
        return WaitForPodsReady()
    if not isinstance(found, dict):
        raise ConfigurationError(f"{path}: a mapping is expected")
    usual = WaitForPodsReady()
    timeout = _seconds(found, "timeout", usual.timeout, path)
    strategy = found.get("requeuingStrategy") or {}
    backoff = RequeuingBackoff(
        float(strategy.get("backoffBaseSeconds", usual.backoff.base)),
        float(strategy.get("backoffMaxSeconds", usual.backoff.longest)),
        strategy.get("backoffLimitCount"),
    )
    return WaitForPodsReady(
        _flag(found, "enable", default=True, path=path),
        timeout,
        _seconds(found, "recoveryTimeout", timeout, path),
        _flag(found, "blockAdmission", default=False, path=path),
        backoff,
    )


def _fair_sharing(document: Mapping[str, Any]) -> FairSharing:
    found = document.get("fairSharing")
    if found is None:
        return FairSharing()
    strategies = tuple(found.get("preemptionStrategies") or STRATEGIES)
    if unknown := [name for name in strategies if name not in STRATEGIES]:
        raise ConfigurationError(f"fairSharing.preemptionStrategies: {unknown[0]!r} is none of {', '.join(STRATEGIES)}")
    return FairSharing(_flag(found, "enable", default=True, path="fairSharing"), strategies)


def _admission_fair_sharing(document: Mapping[str, Any]) -> AdmissionFairSharing:
    path = "admissionFairSharing"
    found = document.get(path)
    if found is None:
        return AdmissionFairSharing()
    if not isinstance(found, dict):
        raise ConfigurationError(f"{path}: a mapping is expected")
    usual = AdmissionFairSharing()
    weights = found.get("resourceWeights") or {}
    if not all(isinstance(weight, int | float) and weight >= 0 for weight in weights.values()):
        raise ConfigurationError(f"{path}.resourceWeights: numbers that are not negative are expected")
    interval = _seconds(found, "usageSamplingInterval", usual.sampling_interval, path)
    if interval <= 0:
        raise ConfigurationError(f"{path}.usageSamplingInterval: more than 0 is expected")
    return AdmissionFairSharing(
        True,
        _seconds(found, "usageHalfLifeTime", usual.half_life, path),
        interval,
        weights,
    )


def _retention(document: Mapping[str, Any]) -> Retention:
    path = "objectRetentionPolicies.workloads"
    found = (document.get("objectRetentionPolicies") or {}).get("workloads") or {}
    after = [
        _seconds(found, name, 0.0, path) if found.get(name) is not None else None
        for name in ("afterFinished", "afterDeactivatedByKueue")
    ]
    return Retention(*after)


def _flag(holder: Mapping[str, Any], name: str, *, default: bool, path: str) -> bool:
    value = holder.get(name, default)
    if not isinstance(value, bool):
        raise ConfigurationError(f"{path + '.' if path else ''}{name}: true or false is expected")
    return value


def _seconds(holder: Mapping[str, Any], name: str, default: float, path: str) -> float:
    """A duration as Go writes it: ``5m``, ``1h30m``."""
    text = holder.get(name)
    if text is None:
        return default
    parts = _PART.findall(str(text))
    if not parts or "".join(number + unit for number, unit in parts) != str(text):
        raise ConfigurationError(f"{path}.{name}: {text!r} is no duration")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)
