import pytest

from sidings.api.kinds.pod_spec.resources import validate


@pytest.mark.parametrize(
    ("resources", "texts"),
    [
        ({}, []),
        ({"limits": {"cpu": "2", "nvidia.com/gpu": "1"}, "requests": {"cpu": "1", "nvidia.com/gpu": "1"}}, []),
        (
            {"requests": {"nvidia.com/gpu": "1"}},
            ["r.limits: Required value: Limit must be set for non overcommitable resources"],
        ),
        (
            {"limits": {"nvidia.com/gpu": "2"}, "requests": {"nvidia.com/gpu": "1"}},
            ['r.requests: Invalid value: "1": must be equal to nvidia.com/gpu limit of 2'],
        ),
        (
            {"limits": {"cpu": "500m"}, "requests": {"cpu": "1000m"}},
            ['r.requests: Invalid value: "1": must be less than or equal to cpu limit of 500m'],
        ),
        (
            {"limits": {"memory": "-1Gi"}},
            ['r.limits[memory]: Invalid value: "-1Gi": must be greater than or equal to 0'],
        ),
        (
            {"limits": {"nvidia.com/gpu": "500m"}},
            ['r.limits[nvidia.com/gpu]: Invalid value: "500m": must be an integer'],
        ),
        (
            {"limits": {"gpu": "1"}},
            [
                'r.limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
                'r.limits[gpu]: Invalid value: "gpu": must be a standard resource for containers',
            ],
        ),
        (
            {"limits": {"requests.example.com/x": "1"}},
            [
                'r.limits[requests.example.com/x]: Invalid value: "requests.example.com/x": doesn\'t follow extended '
                "resource name standard"
            ],
        ),
        ({"limits": {"hugepages-2Mi": "4Mi"}, "requests": {"hugepages-2Mi": "4Mi"}}, []),
    ],
)
def test_resources(resources, texts):
    assert [str(error) for error in validate(resources, "r")] == texts
