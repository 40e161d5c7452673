"""TrainingRuntime and ClusterTrainingRuntime (Kubeflow Trainer 2.0 to 2.3): one spec, two scopes."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import immutability, schemas
from sidings.api.fields import FieldError, broken_rule
from sidings.api.jobset import spec_rules
from sidings.api.kind import Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, TRAINING_RUNTIMES, Resource
from sidings.api.trainer import processes, words

_POLICIES = ("torch", "mpi", "flux", "jax", "xgboost")
_ML_POLICY = "spec.mlPolicy"

ONE_POLICY = "Only one of the policy can be configured"
ELASTIC_NODES = "numNodes should not be set if torch.elasticPolicy is configured"
TORCH_PROCESSES = "NumProcPerNode must be equal to auto, cpu, gpu, or int value"
INJECTED_NODE = "containerNames must not include the main node container because PET_* envs are always injected into it"


class RuntimeRules(Rules):
    """The CRD's CEL rules: those of the ML policy, and those that the embedded JobSet spec brings with it."""

    def __init__(self, resource: Resource) -> None:
        self._schema = schemas.schema(resource.group, resource.version, resource.kind)

    def validate(self, obj: Object) -> list[FieldError]:
        spec = obj.get("spec") or {}
        job_set = (spec.get("template") or {}).get("spec") or {}
        return [*_check_policy(spec.get("mlPolicy") or {}), *spec_rules.check(job_set, "spec.template.spec")]

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        return list(immutability.changes(self._schema, new, old))


def _check_policy(policy: Object) -> Iterator[FieldError]:
    if sum(policy.get(name) is not None for name in _POLICIES) > 1:
        yield broken_rule(_ML_POLICY, policy, ONE_POLICY)
    torch = policy.get("torch") or {}
    if torch.get("elasticPolicy") is not None and policy.get("numNodes") is not None:
        yield broken_rule(_ML_POLICY, policy, ELASTIC_NODES)
    for name in ("flux", "mpi"):
        count = (policy.get(name) or {}).get("numProcPerNode")
        if count is not None and count < 1:
            path = f"{_ML_POLICY}.{name}.numProcPerNode"
            yield broken_rule(path, count, f"NumProcPerNode in {name}Policy must be >= 1")
    count = torch.get("numProcPerNode")
    if count is not None and not (count in processes.WORDS if isinstance(count, str) else count > 0):
        yield broken_rule(f"{_ML_POLICY}.torch.numProcPerNode", count, TORCH_PROCESSES)
    for index, target in enumerate((torch.get("envInjection") or {}).get("targets") or ()):
        names = target.get("containerNames") or []
        if words.NODE in names:
            yield broken_rule(f"{_ML_POLICY}.torch.envInjection.targets[{index}].containerNames", names, INJECTED_NODE)


def _kind(resource: Resource, singular: str) -> Kind:
    return Kind(
        resource=resource,
        singular=singular,
        schema=schemas.schema(resource.group, resource.version, resource.kind),
        builtin=False,
        rules=RuntimeRules(resource),
        columns=(columns.NAME, columns.DATE_AGE),
    )


KINDS = (
    _kind(TRAINING_RUNTIMES, "trainingruntime"),
    _kind(CLUSTER_TRAINING_RUNTIMES, "clustertrainingruntime"),
)
