"""What the rules judge: a TrainJob as it would be stored, what it was, and the objects around it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sidings.api.golang import in_struct_order
from sidings.api.objects import Object
from sidings.api.trainer import runtimes
from sidings.api.trainer.generation import Generation, generation_of
from sidings.api.trainer.overrides import merged_template


@dataclass(frozen=True)
class Request:
    """One create or update of a TrainJob."""

    job: Object
    old: Object | None
    """None for a create."""
    runtime: Object
    job_set: Object | None
    """The JobSet of the same name, if there is one."""
    priority_classes: Collection[str] = ()
    """The names of all PriorityClasses."""

    @property
    def spec(self) -> Object:
        spec: Object = self.job.get("spec") or {}
        return spec

    @property
    def trainer(self) -> Object:
        return self.spec.get("trainer") or {}

    @property
    def policy(self) -> Object:
        return runtimes.ml_policy(self.runtime) or {}

    @property
    def generation(self) -> Generation:
        return generation_of(self.job)

    @cached_property
    def template(self) -> Object:
        """The runtime's template with the overrides of ``job`` applied, which is what upstream judges."""
        return merged_template(self.job, self.runtime)

    @property
    def shown_runtime_ref(self) -> Any:
        """``spec.runtimeRef`` as an error message quotes it."""
        return in_struct_order(self.spec.get("runtimeRef") or {})

    @property
    def env_names(self) -> list[str]:
        return [str(item.get("name")) for item in self.trainer.get("env") or ()]
