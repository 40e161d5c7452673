import pytest

from sidings.api import schemas
from sidings.api.structural import decode
from sidings.api.structural.decoding import Repeated

POD = schemas.schema("", "v1", "Pod")
JOB = schemas.schema("batch", "v1", "Job")
CONFIG_MAP = schemas.schema("", "v1", "ConfigMap")
SECRET = schemas.schema("", "v1", "Secret")
JOB_SET = schemas.schema("jobset.x-k8s.io", "v1alpha2", "JobSet")
TRAIN_JOB = schemas.schema("trainer.kubeflow.org", "v1alpha1", "TrainJob")


def test_unknown_fields_are_dropped_and_named_in_the_order_of_the_body():
    body = {"spec": {"containers": [{"image": "i", "imagee": "x", "name": "c"}], "nope": {"a": 1}}}
    decoded = decode(POD, body, builtin=True)
    assert decoded.object == {"spec": {"containers": [{"image": "i", "name": "c"}]}}
    assert decoded.unknown == ["spec.containers[0].imagee", "spec.nope"]
    assert decoded.strict_errors() == [
        'unknown field "spec.containers[0].imagee" (did you mean "image"?)',
        'unknown field "spec.nope"',
    ]
    assert "nope" in body["spec"]


def test_a_custom_resource_is_pruned_and_names_are_sorted():
    body = {"spec": {"zzz": 1, "trainer": {"numNodez": 2}}, "metadata": {"name": "x", "wat": 1}}
    decoded = decode(TRAIN_JOB, body, builtin=False)
    assert decoded.object == {"spec": {"trainer": {}}, "metadata": {"name": "x"}}
    assert decoded.unknown == ["metadata.wat", "spec.trainer.numNodez", "spec.zzz"]


def test_maps_keep_every_key():
    body = {"metadata": {"labels": {"any.key/x": "1"}}, "data": {"a": "b"}}
    assert decode(CONFIG_MAP, body, builtin=True).object == body


def test_repeated_names_are_reported_where_a_parser_saw_them():
    container = Repeated([("name", "c"), ("image", "a"), ("image", "b")])
    decoded = decode(POD, {"spec": {"containers": [container]}}, builtin=True)
    assert decoded.strict_errors() == ['duplicate field "spec.containers[0].image"']
    assert decoded.object["spec"]["containers"] == [{"name": "c", "image": "b"}]


@pytest.mark.parametrize(
    ("schema", "body", "message"),
    [
        (
            POD,
            {"spec": {"containers": "x"}},
            "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container",
        ),
        (
            POD,
            {"spec": {"containers": ["x"]}},
            "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container",
        ),
        (
            POD,
            {"metadata": {"name": 1}},
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
        ),
        (
            POD,
            {"spec": {"restartPolicy": 1}},
            "json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy",
        ),
        (
            JOB,
            {"spec": {"suspend": "yes"}},
            "json: cannot unmarshal string into Go struct field JobSpec.spec.suspend of type bool",
        ),
        (
            JOB,
            {"spec": {"parallelism": 1.5}},
            "json: cannot unmarshal number 1.5 into Go struct field JobSpec.spec.parallelism of type int32",
        ),
        (
            JOB,
            {"spec": {"parallelism": 2**31}},
            "json: cannot unmarshal number 2147483648 into Go struct field JobSpec.spec.parallelism of type int32",
        ),
        (
            CONFIG_MAP,
            {"data": {"k": 1}},
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (
            CONFIG_MAP,
            {"metadata": {"labels": {"k": 1}}},
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
        ),
        (
            JOB_SET,
            {"spec": {"replicatedJobs": [{"replicas": "2"}]}},
            "json: cannot unmarshal string into Go struct field ReplicatedJob.spec.replicatedJobs.replicas"
            " of type int32",
        ),
        (
            JOB_SET,
            {"spec": {"replicatedJobs": {}}},
            "json: cannot unmarshal object into Go struct field JobSetSpec.spec.replicatedJobs"
            " of type []v1alpha2.ReplicatedJob",
        ),
        (
            TRAIN_JOB,
            {"spec": {"trainer": {"env": {}}}},
            "json: cannot unmarshal object into Go struct field Trainer.spec.trainer.env of type []v1.EnvVar",
        ),
        (
            POD,
            {"spec": {"containers": [{"resources": {"requests": {"cpu": "much"}}}]}},
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (SECRET, {"data": {"k": "no base64!"}}, "illegal base64 data at input byte 2"),
        (
            POD,
            {"metadata": {"creationTimestamp": "today"}},
            'parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"',
        ),
        (POD, [], "json: cannot unmarshal array into Go value of type v1.Pod"),
    ],
)
def test_wrong_types_are_told_as_go_tells_them(schema, body, message):
    assert decode(schema, body, builtin=True).error == message


def test_the_first_wrong_type_is_the_one_that_is_told():
    body = {"spec": {"suspend": "a", "parallelism": "b"}}
    assert "JobSpec.spec.suspend" in decode(JOB, body, builtin=True).error


def test_a_built_in_loses_nulls_and_gets_canonical_quantities():
    body = {"spec": {"nodeName": None, "containers": [{"resources": {"limits": {"cpu": 0.5, "memory": "1024Mi"}}}]}}
    decoded = decode(POD, body, builtin=True)
    assert decoded.object == {"spec": {"containers": [{"resources": {"limits": {"cpu": "500m", "memory": "1Gi"}}}]}}


def test_a_null_in_a_list_of_a_built_in_is_a_zero_value():
    body = {"spec": {"containers": [None, {"name": "c", "args": ["a", None]}]}}
    containers = decode(POD, body, builtin=True).object["spec"]["containers"]
    assert containers == [{}, {"name": "c", "args": ["a", ""]}]


def test_a_custom_resource_keeps_wrong_types_and_nulls_for_validation():
    body = {"spec": {"suspend": "a", "runtimeRef": None, "trainer": {"numNodes": 1.0}}}
    decoded = decode(TRAIN_JOB, body, builtin=False)
    assert not decoded.error
    assert decoded.object == {"spec": {"suspend": "a", "runtimeRef": None, "trainer": {"numNodes": 1}}}
    assert type(decoded.object["spec"]["trainer"]["numNodes"]) is int


@pytest.mark.parametrize(("amount", "kept"), [(1.0, 1), (0.5, 0.5), ("1", "1")])
def test_a_whole_amount_is_an_integer_however_it_is_written(amount, kept):
    body = {"spec": {"trainer": {"resourcesPerNode": {"limits": {"cpu": amount}}}}}
    limits = decode(TRAIN_JOB, body, builtin=False).object["spec"]["trainer"]["resourcesPerNode"]["limits"]
    assert (limits["cpu"], type(limits["cpu"])) == (kept, type(kept))


def test_what_preserves_unknown_fields_keeps_them():
    schema = {
        "type": "object",
        "properties": {
            "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "closed": {"type": "object"},
        },
    }
    body = {"open": {"a": {"b": 1}}, "closed": {"a": 1}}
    decoded = decode(schema, body, builtin=False)
    assert decoded.object == {"open": {"a": {"b": 1}}, "closed": {}}
    assert decoded.unknown == ["closed.a"]
