"""What a TrainJob changes in its runtime's template: one list of patches for all generations of the API.

Trainer 2.2+ has ``runtimePatches`` (a patch of the whole JobSet template per manager), 2.1 has
``podTemplateOverrides`` and 2.0 ``podSpecOverrides`` (a patch of the Pod template of named replicatedJobs), and both
old ones have ``spec.labels`` and ``spec.annotations`` for the JobSet. All become strategic merge patches of the JobSet
template, the old fields first; a later patch wins. The ML policies work on the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sidings.api import schemas
from sidings.api.kind import Schema
from sidings.api.objects import Object, copy_of
from sidings.api.patch import strategic
from sidings.api.trainer import runtimes

_REPLICATED_JOBS = {"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}
"""How the JobSet Go type tags its list; a CRD's schema, which no API server merges strategically, does not say."""
_METADATA = ("labels", "annotations")


def _job_set_spec() -> Schema:
    spec = schemas.definition("io.x-k8s.jobset.v1alpha2.JobSetSpec")
    properties = spec["properties"]
    return {
        **spec,
        "properties": {**properties, "replicatedJobs": {**properties["replicatedJobs"], **_REPLICATED_JOBS}},
    }


_JOB_SET_SPEC = _job_set_spec()


def patches_of(job: Mapping[str, Any]) -> Iterator[Object]:
    """Patches ``{metadata, spec}`` of the runtime's template, in the order they are applied."""
    spec = job.get("spec") or {}
    metadata = {field: spec[field] for field in _METADATA if spec.get(field)}
    if metadata:
        yield {"metadata": metadata}
    for override in spec.get("podSpecOverrides") or ():
        pod_spec = {field: value for field, value in override.items() if field != "targetJobs"}
        yield from _for_targets(override, {"spec": pod_spec})
    for override in spec.get("podTemplateOverrides") or ():
        pod_template = {field: override[field] for field in ("metadata", "spec") if override.get(field)}
        yield from _for_targets(override, pod_template)
    for patch in spec.get("runtimePatches") or ():
        template = (patch.get("trainingRuntimeSpec") or {}).get("template")
        if template:
            yield template


def _for_targets(override: Mapping[str, Any], pod_template: Object) -> Iterator[Object]:
    for target in override.get("targetJobs") or ():
        yield {"spec": {"replicatedJobs": [{"name": target["name"], "template": {"spec": {"template": pod_template}}}]}}


def merged_template(job: Mapping[str, Any], runtime: Mapping[str, Any]) -> Object:
    """The runtime's template with every patch of ``job`` applied, as a copy that the caller may change.

    Merge keys, list order and the lack of retainKeys for volumes are upstream's: the patch goes through the JobSet Go
    types (``pkg/runtime/core/trainingruntime.go``, 2.3). A replicatedJob or container that the runtime does not have
    is added, as upstream adds it; replicatedJobs keep the runtime's order, added ones come first.
    """
    template: Object = copy_of(runtimes.template_of(runtime))
    order = [replicated_job.get("name") for replicated_job in runtimes.replicated_jobs(template)]
    metadata = template.setdefault("metadata", {})
    for patch in patches_of(job):
        for field in _METADATA:
            additions = (patch.get("metadata") or {}).get(field)
            if additions:
                metadata[field] = {**(metadata.get(field) or {}), **additions}
        if patch.get("spec"):
            template["spec"] = strategic.apply(
                template.get("spec") or {}, _without_empty_lists(patch["spec"]), _JOB_SET_SPEC
            )
    merged = runtimes.replicated_jobs(template)
    merged.sort(key=lambda item: order.index(item["name"]) if item.get("name") in order else -1)
    return template


def _without_empty_lists(value: Any) -> Any:
    """``value`` as its Go struct encodes it: every list of a patch is ``omitempty``."""
    if isinstance(value, dict):
        return {key: _without_empty_lists(item) for key, item in value.items() if item != []}
    if isinstance(value, list):
        return [_without_empty_lists(item) for item in value]
    return value
