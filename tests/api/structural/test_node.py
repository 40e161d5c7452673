import pytest

from sidings.api import schemas
from sidings.api.structural.node import node_of, text_of


def test_a_path_is_written_as_field_errors_write_it():
    assert text_of(None) == ""
    path = ((((None, "spec"), "containers"), 0), "image")
    assert text_of(path) == "spec.containers[0].image"


def test_a_schema_is_compiled_once_and_shared_definitions_share_nodes():
    pod, job = node_of(schemas.schema("", "v1", "Pod")), node_of(schemas.schema("batch", "v1", "Job"))
    assert node_of(schemas.schema("", "v1", "Pod")) is pod
    template = job.properties["spec"].properties["template"]
    assert template.properties["spec"].properties["containers"].items is (
        pod.properties["spec"].properties["containers"].items
    )


def test_a_schema_may_reach_itself():
    schema = {"type": "object", "properties": {}}
    schema["properties"]["below"] = schema
    node = node_of(schema)
    assert node.properties["below"] is node


@pytest.mark.parametrize(
    ("schema", "go_type"),
    [
        ({"type": "string"}, "string"),
        ({"type": "integer", "format": "int32"}, "int32"),
        ({"type": "array", "items": {"type": "string"}}, "[]string"),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "map[string]bool"),
        ({"type": "object"}, "interface {}"),
        (schemas.definition("io.k8s.api.core.v1.Container"), "v1.Container"),
    ],
)
def test_go_types(schema, go_type):
    assert node_of(schema).go_type == go_type


def test_rules_anywhere_below_are_known_at_the_root():
    with_rules = schemas.schema("trainer.kubeflow.org", "v1alpha1", "TrainJob")
    assert node_of(with_rules).has_rules
    assert not node_of(schemas.schema("", "v1", "ConfigMap")).has_rules
