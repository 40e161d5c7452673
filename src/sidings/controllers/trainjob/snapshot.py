"""The runtime snapshot: a ConfigMap that freezes the runtime a TrainJob was created with (Trainer 2.3).

Whatever happens to the runtime afterwards, the TrainJob goes by its snapshot; only a deleted snapshot is taken anew.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
import yaml

from sidings.api.objects import Object, controller_of, controller_ref, uid_of
from sidings.api.trainer import runtimes
from sidings.api.trainer.encoding import encoded_template
from sidings.controllers.trainjob import yaml_text
from sidings.controllers.trainjob.errors import BuildError

KEY = "runtime"


def name_of_snapshot(job_name: str) -> str:
    return f"{job_name}-runtime-snapshot"


def freeze(job: Object, runtime: Object) -> Object:
    """The ConfigMap that holds ``runtime``, complete with its metadata, for ``job``."""
    encoded = {**runtime, "spec": {**runtime["spec"], "template": encoded_template(runtimes.template_of(runtime))}}
    metadata = job["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": name_of_snapshot(metadata["name"]),
            "namespace": metadata["namespace"],
            "ownerReferences": [controller_ref(job)],
        },
        "data": {KEY: _text(msgspec.json.encode(encoded))},
    }


@lru_cache(maxsize=64)
def _text(encoded: bytes) -> str:
    """The YAML of a runtime, given as JSON: many TrainJobs share a runtime, and writing it takes milliseconds."""
    return yaml_text.dump(msgspec.json.decode(encoded))


def thaw(job: Object, config_map: Object) -> Object:
    """The runtime in ``config_map``; raises :class:`BuildError` where it is not this TrainJob's or not readable."""
    owner = controller_of(config_map)
    if owner is None or owner.get("uid") != uid_of(job):
        raise _invalid(job, "a snapshot configmap exists but is owned by another object")
    text = (config_map.get("data") or {}).get(KEY)
    if text is None:
        raise _invalid(job, f'snapshot ConfigMap missing "{KEY}" data key')
    try:
        runtime: Any = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        raise _invalid(job, f"unable to unmarshal the snapshot: {error}") from error
    if not _refers_to(job, runtime):
        raise _invalid(job, f"the snapshot refers to the wrong runtime: {_described(runtime)}")
    found: Object = runtime
    return found


def _refers_to(job: Object, runtime: Any) -> bool:
    resource = runtimes.resource_of(job)
    return (
        isinstance(runtime, dict)
        and resource is not None
        and runtime.get("apiVersion") == resource.api_version
        and runtime.get("kind") == resource.kind
        and (runtime.get("metadata") or {}).get("name") == job["spec"]["runtimeRef"]["name"]
    )


def _described(runtime: Any) -> str:
    if not isinstance(runtime, dict):
        return type(runtime).__name__
    return f"{runtime.get('kind')} {(runtime.get('metadata') or {}).get('name')}"


def _invalid(job: Object, reason: str) -> BuildError:
    """Upstream's words, which differ a little between the two kinds of runtimes."""
    resource = runtimes.resource_of(job)
    doing = "unable to get runtime snapshot" if resource and resource.namespaced else "getting runtime snapshot"
    return BuildError(f"{doing}: invalid runtime snapshot: {reason}")
