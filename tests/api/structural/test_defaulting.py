from sidings.api import schemas
from sidings.api.structural import default

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "n"},
        "optional": {"type": "string", "nullable": True, "default": "o"},
        "plain": {"type": "string"},
        "nested": {"type": "object", "properties": {"size": {"type": "integer", "default": 1}}},
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"on": {"type": "boolean", "default": True}}},
        },
        "map": {
            "type": "object",
            "additionalProperties": {"type": "object", "properties": {"x": {"type": "string", "default": "x"}}},
        },
        "block": {"type": "object", "default": {"a": [1]}},
    },
}


def defaulted(obj):
    default(SCHEMA, obj)
    return obj


def test_missing_fields_get_their_defaults_at_every_depth_that_exists():
    assert defaulted({"nested": {}, "items": [{}, {"on": False}], "map": {"k": {}}}) == {
        "name": "n",
        "optional": "o",
        "nested": {"size": 1},
        "items": [{"on": True}, {"on": False}],
        "map": {"k": {"x": "x"}},
        "block": {"a": [1]},
    }


def test_null_counts_as_missing_unless_it_is_allowed():
    obj = defaulted({"name": None, "optional": None, "plain": None, "items": [{"on": None}]})
    assert obj["name"] == "n"
    assert obj["optional"] is None
    assert "plain" not in obj
    assert obj["items"] == [{"on": True}]


def test_defaults_are_not_shared_between_objects():
    first, second = defaulted({}), defaulted({})
    first["block"]["a"].append(2)
    assert second["block"] == {"a": [1]}


def test_a_trainjob_gets_what_its_definition_declares():
    obj = {"spec": {"runtimeRef": {"name": "torch-distributed"}}}
    default(schemas.schema("trainer.kubeflow.org", "v1alpha1", "TrainJob"), obj)
    assert obj["spec"] == {
        "managedBy": "trainer.kubeflow.org/trainjob-controller",
        "suspend": False,
        "runtimeRef": {
            "apiGroup": "trainer.kubeflow.org",
            "kind": "ClusterTrainingRuntime",
            "name": "torch-distributed",
        },
    }


def test_a_container_port_in_a_custom_resource_gets_its_protocol():
    container = {"name": "c", "ports": [{"containerPort": 29500}]}
    template = {"spec": {"template": {"spec": {"containers": [container]}}}}
    obj = {"spec": {"replicatedJobs": [{"name": "a", "template": template}]}}
    default(schemas.schema("jobset.x-k8s.io", "v1alpha2", "JobSet"), obj)
    assert container["ports"] == [{"containerPort": 29500, "protocol": "TCP"}]
