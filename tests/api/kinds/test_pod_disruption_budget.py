import pytest

from sidings.api.kinds.pod_disruption_budget import KIND


@pytest.mark.parametrize(
    ("spec", "complaints"),
    [
        ({"minAvailable": 1}, []),
        ({"maxUnavailable": "50%"}, []),
        (
            {"minAvailable": 1, "maxUnavailable": 1},
            [
                'spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be '
                "both set"
            ],
        ),
        ({"minAvailable": -1}, ["spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"]),
        ({"minAvailable": "120%"}, ['spec.minAvailable: Invalid value: "120%": must not be greater than 100%']),
        (
            {"maxUnavailable": "half"},
            [
                'spec.maxUnavailable: Invalid value: "half": a valid percent string must be a numeric string followed '
                "by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
            ],
        ),
        (
            {"unhealthyPodEvictionPolicy": "Never"},
            [
                'spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", '
                '"IfHealthyBudget"'
            ],
        ),
    ],
)
def test_rules(spec, complaints):
    assert [str(error) for error in KIND.rules.validate({"spec": spec})] == complaints
