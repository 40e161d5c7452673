import pytest

from sidings.api.kinds.pod_spec.environment import BAD_SOURCES, validate, validate_sources


@pytest.mark.parametrize(
    ("variable", "texts"),
    [
        ({"name": "A.b-c", "value": "x"}, []),
        ({"value": "x"}, ["env[0].name: Required value"]),
        (
            {"name": "A=B"},
            [
                'env[0].name: Invalid value: "A=B": a valid environment variable name must consist only of printable '
                "ASCII characters other than '='"
            ],
        ),
        ({"name": "A", "valueFrom": {}}, [f'env[0].valueFrom: Invalid value: "": {BAD_SOURCES}']),
        (
            {"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            ['env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
        ),
        ({"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['a/b']"}}}, []),
        (
            {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.x"}}},
            [
                'env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": error converting fieldPath: field label '
                "not supported: spec.x"
            ],
        ),
        (
            {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c"}}},
            ["env[0].valueFrom.configMapKeyRef.key: Required value"],
        ),
        ({"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}, []),
    ],
)
def test_variables(variable, texts):
    assert [str(error) for error in validate([variable], "env")] == texts


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ({"configMapRef": {"name": "c"}, "prefix": "P_"}, []),
        ({}, ['from[0]: Invalid value: "": must specify one of: `configMapRef` or `secretRef`']),
        (
            {"configMapRef": {"name": "c"}, "secretRef": {"name": "s"}},
            ['from[0]: Invalid value: "": may not have more than one field specified at a time'],
        ),
        ({"secretRef": {"name": ""}}, ["from[0].secretRef.name: Required value"]),
    ],
)
def test_sources(source, texts):
    assert [str(error) for error in validate_sources([source], "from")] == texts
