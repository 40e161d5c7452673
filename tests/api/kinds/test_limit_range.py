import pytest

from sidings.api.kinds.limit_range import KIND


@pytest.mark.parametrize(
    ("items", "complaints"),
    [
        ([{"type": "Container", "min": {"cpu": "1"}, "max": {"cpu": "2"}, "default": {"cpu": "2"}}], []),
        ([{"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}], []),
        (
            [{"type": "Container", "min": {"cpu": "2"}, "max": {"cpu": "1"}}],
            ['spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
        ),
        (
            [{"type": "Container", "max": {"cpu": "1"}, "default": {"cpu": "3"}, "defaultRequest": {"cpu": "4"}}],
            [
                'spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than max '
                "value 1",
                'spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than '
                "default limit value 3",
                'spec.limits[0].default[cpu]: Invalid value: "3": default value 3 is greater than max value 1',
            ],
        ),
        (
            [{"type": "Container", "min": {"cpu": "2"}, "default": {"cpu": "1"}}],
            ['spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1'],
        ),
        (
            [{"type": "Pod", "default": {"cpu": "1"}}],
            ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
        ),
        (
            [{"type": "PersistentVolumeClaim"}],
            [
                "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but "
                "neither was provided"
            ],
        ),
        ([{"type": "Pod"}, {"type": "Pod"}], ['spec.limits[1].type: Duplicate value: "Pod"']),
        (
            [{"type": "Pod", "maxLimitRequestRatio": {"cpu": "500m"}}],
            ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'],
        ),
    ],
)
def test_rules(items, complaints):
    assert [str(error) for error in KIND.rules.validate({"spec": {"limits": items}})] == complaints
