"""The validating webhooks of the Training Operator: the rules of ``api/training_operator`` as refusals."""

from __future__ import annotations

from sidings.api.training_operator import framework, validation
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request, denied
from sidings.registry.admission.trainjob import aggregate


def webhook(of: framework.Framework) -> str:
    """``validator.pytorchjob.training-operator.kubeflow.org``."""
    return f"validator.{of.singular}.training-operator.kubeflow.org"


class TrainingJobAdmission(Plugin):
    """Judges jobs of ``kubeflow.org/v1`` on create and update, not on writes of their status."""

    def validate(self, request: Request, reader: Reader) -> None:
        of = framework.of_kind(request.kind.resource)
        if of is None or request.subresource or request.operation is Operation.DELETE:
            return
        for text in validation.warnings(of, request.new):
            request.warn(text)
        errors = validation.errors(of, request.new)
        if request.old is not None:
            errors += validation.update_errors(of, request.new, request.old)
        if errors:
            raise denied(webhook(of), aggregate(errors))
