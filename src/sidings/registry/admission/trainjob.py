"""TrainJobs against their runtime: the mutating and the validating webhook of Kubeflow Trainer 2.3.

``admit`` keeps the time of each runtime patch; ``validate`` looks the runtime up and asks ``api/trainer/rules``. As
upstream it looks at the live runtime, on update too: while the runtime of a TrainJob is deleted, the TrainJob cannot
be changed (recorded: ``runtime-deleted``).
"""

from __future__ import annotations

from collections.abc import Sequence

from sidings.api import fields, timestamps
from sidings.api.fields import FieldError
from sidings.api.golang import in_struct_order
from sidings.api.objects import Object, name_of
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, JOB_SETS, PRIORITY_CLASSES, TRAIN_JOBS
from sidings.api.status import NotFound
from sidings.api.trainer import patch_times, rules, runtimes
from sidings.api.trainer.rules import runtime as runtime_rules
from sidings.clock import Clock
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request, denied

VALIDATOR = "validator.trainjob.trainer.kubeflow.org"


class TrainJobAdmission(Plugin):
    """Defaulter and validator of TrainJobs."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def admit(self, request: Request, reader: Reader) -> None:
        if request.concerns(TRAIN_JOBS, Operation.CREATE, Operation.UPDATE):
            patch_times.stamp(request.new, request.old, timestamps.to_text(self._clock.now()))

    def validate(self, request: Request, reader: Reader) -> None:
        if not request.concerns(TRAIN_JOBS, Operation.CREATE, Operation.UPDATE):
            return
        runtime = _runtime_of(request, reader)
        if warning := _deprecation(runtime):
            request.warn(warning)
        errors = rules.against_runtime(
            rules.Request(
                job=request.new,
                old=request.old,
                runtime=runtime,
                job_set=_job_set(request, reader),
                priority_classes=_priority_classes(runtime, reader),
            )
        )
        if errors:
            raise denied(VALIDATOR, aggregate(errors))


def aggregate(errors: Sequence[FieldError]) -> str:
    """Field errors as Go's ``ErrorList.ToAggregate`` prints them: equal ones once, several in brackets."""
    texts = list(dict.fromkeys(str(error) for error in errors))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _runtime_of(request: Request, reader: Reader) -> Object:
    """The runtime that ``request`` refers to; raises ``Forbidden`` in upstream's words if there is none."""
    resource = runtimes.resource_of(request.new)
    if resource is None:
        raise denied(VALIDATOR, f"unsupported runtime: {runtimes.group_kind_of(request.new)}")
    ref = request.new["spec"]["runtimeRef"]
    try:
        return reader.get(resource, ref["name"], request.namespace if resource.namespaced else "")
    except NotFound:
        # Upstream spells the field of a cluster-wide runtime with a capital R.
        path = "spec.runtimeRef" if resource.namespaced else "spec.RuntimeRef"
        word = "trainingRuntime" if resource.namespaced else "clusterTrainingRuntime"
        detail = (
            f'{resource.kind}.{resource.group} "{ref["name"]}" not found: specified {word} must be created before the '
            "TrainJob is created"
        )
        raise denied(VALIDATOR, str(fields.invalid(path, in_struct_order(ref), detail))) from None


def _deprecation(runtime: Object) -> str:
    """Only a cluster-wide runtime is announced as deprecated."""
    if runtime.get("kind") != CLUSTER_TRAINING_RUNTIMES.kind:
        return ""
    return runtime_rules.deprecation(runtime, "Referenced ClusterTrainingRuntime")


def _priority_classes(runtime: Object, reader: Reader) -> set[str]:
    """Those there are, for the one policy that asks."""
    if not runtime["spec"].get("podGroupPolicy"):
        return set()
    return {name_of(each) for each in reader.list(PRIORITY_CLASSES)}


def _job_set(request: Request, reader: Reader) -> Object | None:
    try:
        return reader.get(JOB_SETS, request.name, request.namespace)
    except NotFound:
        return None
