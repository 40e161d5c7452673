import pytest

from sidings.api import schemas
from sidings.api.kind import Schema


def lists_by_key(schema: Schema, *path: str) -> list[str]:
    """The map keys of the list at ``path``; lists on the way are entered."""
    for name in path:
        schema = schema["properties"][name]
        schema = schema.get("items", schema) if name != path[-1] else schema
    return list(schema["x-kubernetes-list-map-keys"])


def test_references_are_replaced_by_shared_definitions():
    pod = schemas.schema("", "v1", "Pod")
    job = schemas.schema("batch", "v1", "Job")
    container = schemas.definition("io.k8s.api.core.v1.Container")
    assert pod["properties"]["spec"]["properties"]["containers"]["items"] is container
    template = job["properties"]["spec"]["properties"]["template"]
    assert template["properties"]["spec"]["properties"]["containers"]["items"] is container


def test_definitions_refer_only_to_definitions():
    definitions = schemas.definitions()

    def references(schema):
        if isinstance(schema, dict):
            if isinstance(schema.get("$ref"), str):
                yield schema["$ref"].removeprefix(schemas.REF)
            for value in schema.values():
                yield from references(value)
        elif isinstance(schema, list):
            for value in schema:
                yield from references(value)

    assert set(references(definitions)) <= set(definitions)


@pytest.mark.parametrize(
    ("gvk", "path", "keys"),
    [
        (("", "v1", "Pod"), ("spec", "containers"), ["name"]),
        (("", "v1", "Pod"), ("spec", "containers", "ports"), ["containerPort", "protocol"]),
        (("", "v1", "Pod"), ("spec", "containers", "volumeMounts"), ["mountPath"]),
        (("jobset.x-k8s.io", "v1alpha2", "JobSet"), ("spec", "replicatedJobs"), ["name"]),
        (("trainer.kubeflow.org", "v1alpha1", "TrainJob"), ("spec", "runtimePatches"), ["manager"]),
        (("trainer.kubeflow.org", "v1alpha1", "TrainJob"), ("spec", "trainer", "env"), ["name"]),
    ],
)
def test_lists_know_their_keys(gvk, path, keys):
    assert lists_by_key(schemas.schema(*gvk), *path) == keys


def test_trainjob_takes_the_fields_of_all_trainer_versions():
    spec = schemas.definition("org.kubeflow.trainer.v1alpha1.TrainJobSpec")["properties"]
    assert {"runtimePatches", "podTemplateOverrides", "podSpecOverrides", "labels", "annotations"} <= set(spec)
    assert spec["trainer"]["properties"]["numProcPerNode"]["x-kubernetes-int-or-string"]
    torch = schemas.definition("org.kubeflow.trainer.v1alpha1.TorchMLPolicySource")["properties"]
    assert {"envInjection", "numProcPerNode", "elasticPolicy"} <= set(torch)


def test_metadata_inside_a_custom_resource_has_five_fields():
    spec = schemas.definition("io.x-k8s.jobset.v1alpha2.JobSetSpec")["properties"]
    template = spec["replicatedJobs"]["items"]["properties"]["template"]
    for metadata in (template, template["properties"]["spec"]["properties"]["template"]):
        fields = set(metadata["properties"]["metadata"]["properties"])
        assert fields == {"annotations", "finalizers", "labels", "name", "namespace"}


def test_an_unknown_kind_is_a_key_error():
    with pytest.raises(KeyError):
        schemas.schema("apps", "v1", "Deployment")


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
@pytest.mark.parametrize(
    "kind",
    [
        "AdmissionCheck",
        "ClusterQueue",
        "Cohort",
        "LocalQueue",
        "ResourceFlavor",
        "Topology",
        "Workload",
        "WorkloadPriorityClass",
    ],
)
def test_every_field_of_the_queue_is_explained(version: str, kind: str) -> None:
    schema = schemas.schema("kueue.x-k8s.io", version, kind)
    assert schema["description"]
    for part in ("spec", "status"):
        fields = schema["properties"].get(part, {}).get("properties", {})
        silent = [name for name, field in fields.items() if not field.get("description")]
        assert silent == []
