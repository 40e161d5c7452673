"""Runtimes on their own: the validating webhooks of Kubeflow Trainer 2.3.

A namespaced runtime is looked at only when it is created, a cluster-wide one on update too (recorded).
"""

from __future__ import annotations

from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, TRAINING_RUNTIMES
from sidings.api.trainer.rules import runtime as runtime_rules
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request, denied
from sidings.registry.admission.trainjob import aggregate


class TrainingRuntimeAdmission(Plugin):
    """Validator of TrainingRuntimes and ClusterTrainingRuntimes."""

    def validate(self, request: Request, reader: Reader) -> None:
        cluster = request.concerns(CLUSTER_TRAINING_RUNTIMES, Operation.CREATE, Operation.UPDATE)
        if not cluster and not request.concerns(TRAINING_RUNTIMES, Operation.CREATE):
            return
        if cluster and (warning := runtime_rules.deprecation(request.new, CLUSTER_TRAINING_RUNTIMES.kind)):
            request.warn(warning)
        errors = list(runtime_rules.check(request.new))
        if errors:
            webhook = f"validator.{request.kind.singular}.trainer.kubeflow.org"
            raise denied(webhook, aggregate(errors))
