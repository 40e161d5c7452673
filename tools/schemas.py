"""Writes ``src/sidings/api/data/schemas.json.gz``: the structural schemas of every kind that Sidings serves.

Field names, types and list semantics come from two PyPI packages, so that nobody copies them by hand:
``kubernetes-validate`` (OpenAPI definitions of Kubernetes) and ``kubeflow-trainer-api`` (generated models of JobSet and
Trainer). What those leave out (limits, defaults, enums, CEL rules, the fields of Trainer 2.0 and 2.1) stands in
``schemas.amendments.yaml``, the kinds of Kueue in ``schemas.kueue.yaml``; descriptions are our own and stand in
``schemas.descriptions.yaml``.

    pip install kubernetes-validate kubeflow-trainer-api
    python tools/schemas.py

The output is deterministic: the same inputs give the same bytes.
"""

from __future__ import annotations

import datetime
import gzip
import importlib
import inspect
import json
import pkgutil
import re
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

KUBERNETES = "v1.36.0"
HERE = Path(__file__).parent
OUTPUT = HERE.parent / "src/sidings/api/data/schemas.json.gz"
REF = "#/components/schemas/"
AMENDMENTS = ("schemas.amendments.yaml", "schemas.kueue.yaml")

ROOTS = (
    "io.k8s.api.authentication.v1.TokenRequest",
    "io.k8s.api.batch.v1.CronJob",
    "io.k8s.api.batch.v1.Job",
    "io.k8s.api.coordination.v1.Lease",
    "io.k8s.api.core.v1.ConfigMap",
    "io.k8s.api.core.v1.Endpoints",
    "io.k8s.api.core.v1.Event",
    "io.k8s.api.core.v1.LimitRange",
    "io.k8s.api.core.v1.Namespace",
    "io.k8s.api.core.v1.Node",
    "io.k8s.api.core.v1.PersistentVolume",
    "io.k8s.api.core.v1.PersistentVolumeClaim",
    "io.k8s.api.core.v1.Pod",
    "io.k8s.api.core.v1.ResourceQuota",
    "io.k8s.api.core.v1.Secret",
    "io.k8s.api.core.v1.Service",
    "io.k8s.api.core.v1.ServiceAccount",
    "io.k8s.api.discovery.v1.EndpointSlice",
    "io.k8s.api.events.v1.Event",
    "io.k8s.api.networking.v1.NetworkPolicy",
    "io.k8s.api.policy.v1.PodDisruptionBudget",
    "io.k8s.api.rbac.v1.ClusterRole",
    "io.k8s.api.rbac.v1.ClusterRoleBinding",
    "io.k8s.api.rbac.v1.Role",
    "io.k8s.api.rbac.v1.RoleBinding",
    "io.k8s.api.scheduling.v1.PriorityClass",
    "io.k8s.api.storage.v1.StorageClass",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    "io.x-k8s.jobset.v1alpha2.JobSet",
    "io.x-k8s.kueue.v1beta1.AdmissionCheck",
    "io.x-k8s.kueue.v1beta1.ClusterQueue",
    "io.x-k8s.kueue.v1beta1.Cohort",
    "io.x-k8s.kueue.v1beta1.LocalQueue",
    "io.x-k8s.kueue.v1beta1.ResourceFlavor",
    "io.x-k8s.kueue.v1beta1.Topology",
    "io.x-k8s.kueue.v1beta1.Workload",
    "io.x-k8s.kueue.v1beta1.WorkloadPriorityClass",
    "io.x-k8s.kueue.v1beta2.AdmissionCheck",
    "io.x-k8s.kueue.v1beta2.ClusterQueue",
    "io.x-k8s.kueue.v1beta2.Cohort",
    "io.x-k8s.kueue.v1beta2.LocalQueue",
    "io.x-k8s.kueue.v1beta2.ResourceFlavor",
    "io.x-k8s.kueue.v1beta2.Topology",
    "io.x-k8s.kueue.v1beta2.Workload",
    "io.x-k8s.kueue.v1beta2.WorkloadPriorityClass",
    "org.kubeflow.trainer.v1alpha1.ClusterTrainingRuntime",
    "org.kubeflow.trainer.v1alpha1.TrainJob",
    "org.kubeflow.trainer.v1alpha1.TrainingRuntime",
    "org.kubeflow.v1.JAXJob",
    "org.kubeflow.v1.MPIJob",
    "org.kubeflow.v1.PaddleJob",
    "org.kubeflow.v1.PyTorchJob",
    "org.kubeflow.v1.TFJob",
    "org.kubeflow.v1.XGBoostJob",
)
"""What is served; definitions that none of these reaches are left out."""

PREFIXES = {
    "IoK8sApiCoreV1": "io.k8s.api.core.v1.",
    "IoK8sApiBatchV1": "io.k8s.api.batch.v1.",
    "IoK8sApiAutoscalingV2": "io.k8s.api.autoscaling.v2.",
    "IoK8sApimachineryPkgApisMetaV1": "io.k8s.apimachinery.pkg.apis.meta.v1.",
    "IoK8sApimachineryPkgApiResource": "io.k8s.apimachinery.pkg.api.resource.",
    "IoK8sApimachineryPkgUtilIntstr": "io.k8s.apimachinery.pkg.util.intstr.",
    "JobsetV1alpha2": "io.x-k8s.jobset.v1alpha2.",
    "TrainerV1alpha1": "org.kubeflow.trainer.v1alpha1.",
    "SchedulingV1beta1": "sh.volcano.scheduling.v1beta1.",
}

LEAVES: dict[str, Any] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"x-kubernetes-int-or-string": True, "format": "quantity"},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"x-kubernetes-int-or-string": True},
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": {"type": "string", "format": "date-time"},
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": {"type": "string", "format": "date-time"},
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "io.k8s.apimachinery.pkg.runtime.RawExtension": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
}
"""Types with JSON forms of their own, which the sources describe loosely or not at all."""

_EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
for _name in ("JSON", "JSONSchemaProps", "JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool"):
    LEAVES[_EXTENSIONS + _name] = {"x-kubernetes-preserve-unknown-fields": True}
LEAVES[_EXTENSIONS + "JSONSchemaPropsOrStringArray"] = {"x-kubernetes-preserve-unknown-fields": True}
LEAVES[_EXTENSIONS + "JSONSchemaProps"]["type"] = "object"


def kubernetes() -> dict[str, Any]:
    """The definitions of Kubernetes, without descriptions and with null taken out of the types."""
    package = importlib.import_module("kubernetes_validate")
    assert package.__file__
    path = Path(package.__file__).parent / "kubernetes-json-schema" / f"{KUBERNETES}-local" / "_definitions.json"
    definitions = json.loads(path.read_text())["$defs"]
    return {name: LEAVES.get(name) or plain(schema) for name, schema in definitions.items()}


def plain(schema: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in schema.items():
        match key:
            case "description" | "x-kubernetes-unions":
                pass
            case "$ref":
                out["$ref"] = value.replace("#/$defs/", REF)
            case "type" if isinstance(value, list):
                out["type"] = next(t for t in value if t != "null")
            case "enum" if len(value) == 1:
                pass  # apiVersion and kind; the registry checks them against the URL
            case "properties":
                out["properties"] = {name: plain(sub) for name, sub in sorted(value.items())}
            case "items" | "additionalProperties" if isinstance(value, dict):
                out[key] = plain(value)
            case "required":
                out["required"] = sorted(value)
            case _:
                out[key] = value
    return out


def trainer() -> dict[str, Any]:
    """The definitions of JobSet and Trainer, read from the types of the generated pydantic models."""
    models = importlib.import_module("kubeflow_trainer_api.models")
    out: dict[str, Any] = {}
    for module in pkgutil.iter_modules(models.__path__):
        loaded = importlib.import_module(f"{models.__name__}.{module.name}")
        for cls in vars(loaded).values():
            own = inspect.isclass(cls) and cls.__module__ == loaded.__name__ and hasattr(cls, "model_fields")
            if own and not cls.__name__.startswith("IoK8s"):
                out[definition_name(cls.__name__)] = from_model(cls)
    return out


def definition_name(class_name: str) -> str:
    for prefix, package in PREFIXES.items():
        if class_name.startswith(prefix):
            return package + class_name.removeprefix(prefix)
    raise ValueError(f"no package is known for the model {class_name}")


def from_model(cls: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    properties = {}
    for attribute, info in cls.model_fields.items():
        properties[info.alias or attribute] = from_type(hints[attribute])
    schema: dict[str, Any] = {"type": "object", "properties": dict(sorted(properties.items()))}
    if required := sorted(info.alias or name for name, info in cls.model_fields.items() if info.is_required()):
        schema["required"] = required
    return schema


def from_type(hint: Any) -> dict[str, Any]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return from_type(next(a for a in arguments if a is not type(None)))
    if origin is list:
        return {"type": "array", "items": from_type(arguments[0])}
    if origin is dict:
        return {"type": "object"} if arguments[1] is Any else {
            "type": "object", "additionalProperties": from_type(arguments[1])
        }  # fmt: skip
    if hint is datetime.datetime:
        return {"$ref": REF + "io.k8s.apimachinery.pkg.apis.meta.v1.Time"}
    if hint is int:
        return {"type": "integer", "format": "int32"}
    if hint is str:
        return {"type": "string"}
    if hint is bool:
        return {"type": "boolean"}
    return {"$ref": REF + definition_name(hint.__name__)}


def merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """``base`` with ``over`` laid on top, key by key; null removes a key, a new ``$ref`` replaces what was there."""
    out = dict(base)
    for key, value in over.items():
        if value is None:
            out.pop(key, None)
        elif isinstance(value, dict):
            below = out.get(key) if "$ref" not in value else None
            out[key] = merge(below if isinstance(below, dict) else {}, value)
        else:
            out[key] = value
    return out


def expand(definitions: dict[str, Any], amendments: dict[str, Any]) -> dict[str, Any]:
    """Applies the amendments. ``copy: NAME`` starts a new definition from another one."""
    out = dict(definitions)
    for name, change in amendments.items():
        change = json.loads(re.sub(r'"ref": "', f'"$ref": "{REF}', json.dumps(change)))
        base = out[change.pop("copy")] if "copy" in change else out.get(name, {"type": "object"})
        out[name] = merge(base, change)
    return out


def describe(definitions: dict[str, Any], descriptions: dict[str, Any]) -> None:
    for name, texts in descriptions.items():
        schema = definitions[name] = dict(definitions[name])
        schema["properties"] = dict(schema.get("properties") or {})
        for field, text in texts.items():
            if field == ".":
                schema["description"] = text
            else:
                schema["properties"][field] = {**schema["properties"][field], "description": text}


def of_older_versions(definitions: dict[str, Any], descriptions: dict[str, Any]) -> dict[str, Any]:
    """What is said of Kueue's v1beta2, for the kinds and fields that v1beta1 has as well."""
    out: dict[str, Any] = {}
    for name, texts in descriptions.items():
        older = name.replace(".kueue.v1beta2.", ".kueue.v1beta1.")
        if older != name and older in definitions:
            fields = definitions[older].get("properties") or {}
            same = {field: text for field, text in texts.items() if field == "." or field in fields}
            out[older] = same | descriptions.get(older, {})
    return out


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(REF)
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def reachable(definitions: dict[str, Any], roots: tuple[str, ...]) -> dict[str, Any]:
    seen: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += references(definitions[name])
    return {name: definitions[name] for name in sorted(seen)}


def main() -> None:
    definitions = {**kubernetes(), **trainer()}
    for file in AMENDMENTS:
        definitions = expand(definitions, yaml.safe_load((HERE / file).read_text()))
    definitions = reachable(definitions, ROOTS)
    descriptions = yaml.safe_load((HERE / "schemas.descriptions.yaml").read_text())
    describe(definitions, descriptions | of_older_versions(definitions, descriptions))
    for name in definitions:
        if name not in ROOTS:
            definitions[name].pop("x-kubernetes-group-version-kind", None)
    text = json.dumps(definitions, separators=(",", ":")).encode()
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_bytes(gzip.compress(text, 9, mtime=0))
    print(f"{len(definitions)} definitions, {len(text):,} bytes, {OUTPUT.stat().st_size:,} compressed")


if __name__ == "__main__":
    main()
