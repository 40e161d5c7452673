import json
from dataclasses import replace

import pytest

from sidings.api import schemas
from sidings.api.kind import Kind
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, JOBS, TRAIN_JOBS, Resource
from sidings.server.openapi_v3 import OpenApi

WIDGETS = Resource("example.com", "v1", "widgets", "Widget")
SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "description": "What is wanted."}}}
KINDS = [
    Kind(JOBS, "job", {}, builtin=True, subresources=frozenset({"status"})),
    Kind(TRAIN_JOBS, "trainjob", {}, builtin=False),
    Kind(CLUSTER_TRAINING_RUNTIMES, "clustertrainingruntime", {}, builtin=False),
    Kind(WIDGETS, "widget", SCHEMA, builtin=False),
]


@pytest.fixture(scope="module")
def openapi() -> OpenApi:
    return OpenApi(KINDS)


def document(openapi: OpenApi, root: str) -> dict:  # type: ignore[type-arg]
    raw = openapi.document(root)
    assert raw is not None
    return json.loads(raw)  # type: ignore[no-any-return]


def test_the_index_names_every_document_by_its_hash(openapi: OpenApi) -> None:
    paths = json.loads(openapi.index)["paths"]
    assert set(paths) == {"apis/batch/v1", "apis/trainer.kubeflow.org/v1alpha1", "apis/example.com/v1"}
    url = paths["apis/batch/v1"]["serverRelativeURL"]
    assert url.startswith("/openapi/v3/apis/batch/v1?hash=")
    again = json.loads(OpenApi(KINDS).index)["paths"]
    assert again == paths, "the same kinds have the same hashes, or clients could keep nothing"
    other = json.loads(OpenApi([*KINDS[:3], replace(KINDS[3], schema={"type": "object"})]).index)["paths"]
    assert other["apis/example.com/v1"] != paths["apis/example.com/v1"]
    assert openapi.document("apis/zz.io/v1") is None


def test_apply_finds_that_patch_takes_field_validation(openapi: OpenApi) -> None:
    patch = document(openapi, "apis/batch/v1")["paths"]["/apis/batch/v1/namespaces/{namespace}/jobs/{name}"]["patch"]
    assert patch["x-kubernetes-group-version-kind"] == {"group": "batch", "version": "v1", "kind": "Job"}
    assert "fieldValidation" in [parameter["name"] for parameter in patch["parameters"]]


def test_explain_finds_schema_and_path(openapi: OpenApi) -> None:
    found = document(openapi, "apis/trainer.kubeflow.org/v1alpha1")
    get = found["paths"]["/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes/{name}"]["get"]
    assert get["x-kubernetes-group-version-kind"]["kind"] == "ClusterTrainingRuntime"
    name = schemas.definition_name("trainer.kubeflow.org", "v1alpha1", "TrainJob")
    schema = found["components"]["schemas"][name]
    assert schema["x-kubernetes-group-version-kind"] == [
        {"group": "trainer.kubeflow.org", "version": "v1alpha1", "kind": "TrainJob"}
    ]
    assert "spec" in schema["properties"]


def test_every_reference_leads_somewhere(openapi: OpenApi) -> None:
    for root in ("apis/batch/v1", "apis/trainer.kubeflow.org/v1alpha1"):
        raw = openapi.document(root)
        assert raw is not None
        components = set(json.loads(raw)["components"]["schemas"])
        used = {part.split(b'"', 1)[0].decode() for part in raw.split(b'"$ref":"#/components/schemas/')[1:]}
        assert used <= components
        assert len(used) > 10


def test_a_custom_kind_brings_its_own_schema(openapi: OpenApi) -> None:
    components = document(openapi, "apis/example.com/v1")["components"]["schemas"]
    assert components["com.example.v1.Widget"]["properties"] == SCHEMA["properties"]


def test_fields_that_all_kinds_share_are_described(openapi: OpenApi) -> None:
    schema = document(openapi, "apis/batch/v1")["components"]["schemas"]["io.k8s.api.batch.v1.Job"]
    assert all(schema["properties"][field]["description"] for field in ("apiVersion", "kind", "metadata"))
    assert schema["properties"]["metadata"]["allOf"][0]["$ref"].endswith("ObjectMeta")
