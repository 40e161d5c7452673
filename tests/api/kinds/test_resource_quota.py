import pytest

from sidings.api.kinds.resource_quota import KIND


@pytest.mark.parametrize(
    ("spec", "complaints"),
    [
        ({"hard": {"pods": "4", "cpu": "1500m", "requests.nvidia.com/gpu": 2, "count/jobs.batch": 1}}, []),
        ({"hard": {"limits.memory": "1Gi", "x.io/thing": 1}, "scopes": ["Terminating"]}, []),
        (
            {"hard": {"foo": 1}},
            [
                'spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
                'spec.hard[foo]: Invalid value: "foo": must be a standard resource for quotas',
            ],
        ),
        ({"hard": {"pods": "1500m"}}, ['spec.hard[pods]: Invalid value: "1500m": must be an integer']),
        ({"hard": {"cpu": "-1"}}, ['spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0']),
        ({"scopes": ["Foo"]}, ['spec.scopes: Invalid value: "Foo": unsupported scope']),
        (
            {"scopes": ["BestEffort", "NotBestEffort"]},
            ['spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
        ),
    ],
)
def test_rules(spec, complaints):
    assert [str(error) for error in KIND.rules.validate({"spec": spec})] == complaints
