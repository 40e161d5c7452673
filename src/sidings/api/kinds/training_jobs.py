"""PyTorchJob, TFJob, MPIJob, XGBoostJob, JAXJob and PaddleJob (``kubeflow.org/v1``, Training Operator 1.9.4).

The CRDs' own rules are here; the validating webhooks' run in ``registry/admission/training_operator.py``. What the
webhooks refuse, they refuse as 403, the CRDs as 422.
"""

from __future__ import annotations

from sidings.api import immutability, schemas
from sidings.api.fields import FieldError
from sidings.api.kind import Column, Kind, Rules, Scale
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.training_operator import framework
from sidings.api.training_operator.framework import Framework

_STATE = Column("State", json_path=".status.conditions[-1:].type")
"""The last condition in the list, whatever its status: upstream's column."""


class TrainingJobRules(Rules):
    """What the CustomResourceDefinition checks."""

    def __init__(self, of: Framework) -> None:
        resource = of.resource
        self._schema = schemas.schema(resource.group, resource.version, resource.kind)

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        return list(immutability.changes(self._schema, new, old))


def _kind(of: Framework) -> Kind:
    resource = of.resource
    state_first = (_STATE, columns.DATE_AGE)
    return Kind(
        resource=resource,
        singular=of.singular,
        schema=schemas.schema(resource.group, resource.version, resource.kind),
        builtin=False,
        rules=TrainingJobRules(of),
        subresources=frozenset({"status", "scale"} if of.reports_selector else {"status"}),
        scale=_scale(of) if of.reports_selector else None,
        columns=(columns.NAME, *(reversed(state_first) if of is framework.MPI else state_first)),
    )


def _scale(of: Framework) -> Scale:
    workers = ("status", "replicaStatuses", "Worker")
    return Scale(("spec", of.replica_specs, "Worker", "replicas"), (*workers, "active"), (*workers, "selector"))


KINDS = tuple(_kind(of) for of in framework.ALL)
