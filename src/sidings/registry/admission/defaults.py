"""The plug-ins of a Sidings engine, in their order."""

from __future__ import annotations

from sidings.api.feature_gates import NONE, FeatureGates
from sidings.clock import Clock
from sidings.registry.admission.definitions import DefinitionNames
from sidings.registry.admission.jobset import JobSetAdmission
from sidings.registry.admission.jobset_pods import JobSetPods
from sidings.registry.admission.kueue_jobs import KueueJobs
from sidings.registry.admission.kueue_objects import KueueObjects
from sidings.registry.admission.kueue_pods import KueuePods
from sidings.registry.admission.kueue_settings import KueueSettings
from sidings.registry.admission.limit_ranger import LimitRanger
from sidings.registry.admission.namespaces import NamespaceLifecycle
from sidings.registry.admission.plugin import Plugin
from sidings.registry.admission.pods import DefaultTolerations, PodPriority
from sidings.registry.admission.resource_quota import ResourceQuota
from sidings.registry.admission.service_accounts import ServiceAccount
from sidings.registry.admission.service_addresses import ServiceAddresses
from sidings.registry.admission.training_operator import TrainingJobAdmission
from sidings.registry.admission.training_runtime import TrainingRuntimeAdmission
from sidings.registry.admission.trainjob import TrainJobAdmission


def plugins(clock: Clock, *, service_accounts: bool = True, gates: FeatureGates = NONE) -> tuple[Plugin, ...]:
    """Namespaces first, as upstream's own plug-ins come before webhooks; quotas last, when all is decided.

    ``service_accounts=False`` leaves pods without one, as a cluster does whose plug-in is off.
    """
    queue = KueueSettings()
    return (
        NamespaceLifecycle(),
        DefinitionNames(clock),
        PodPriority(),
        DefaultTolerations(),
        LimitRanger(),
        *((ServiceAccount(),) if service_accounts else ()),
        ServiceAddresses(),
        JobSetPods(),
        JobSetAdmission(gates),
        TrainJobAdmission(clock),
        TrainingRuntimeAdmission(),
        TrainingJobAdmission(),
        KueueObjects(),
        KueueJobs(queue),
        KueuePods(queue),
        ResourceQuota(),
    )
