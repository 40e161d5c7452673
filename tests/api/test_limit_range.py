import pytest

from sidings.api import limit_range
from sidings.api.kinds.limit_range import KIND


def pod(**resources):
    return {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "resources": resources}]}}


def of(kind="Container", **limits):
    return {"spec": {"limits": [{"type": kind, **limits}]}}


def test_what_is_lacking_is_filled_in():
    found = pod(requests={"cpu": "1"})
    told = limit_range.fill_in(found, of(default={"cpu": "2"}, defaultRequest={"cpu": "3", "memory": "1Gi"}))
    assert found["spec"]["containers"][0]["resources"] == {
        "requests": {"cpu": "1", "memory": "1Gi"},
        "limits": {"cpu": "2"},
    }
    assert limit_range.annotation(told) == (
        "LimitRanger plugin set: memory request for container c; cpu limit for container c"
    )


def test_a_limit_of_its_own_is_the_request():
    found = pod(limits={"cpu": "4"})
    limit_range.fill_in(found, of(defaultRequest={"cpu": "1"}))
    assert found["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "4"}}


@pytest.mark.parametrize(
    ("resources", "limits", "complaints"),
    [
        ({"limits": {"cpu": "2"}}, {"max": {"cpu": "2"}}, []),
        (
            {"limits": {"cpu": "3"}},
            {"max": {"cpu": "2"}},
            [
                "maximum cpu usage per Container is 2, but limit is 3",
                "maximum cpu usage per Container is 2, but request is 3",
            ],
        ),
        ({}, {"max": {"cpu": "2"}}, ["maximum cpu usage per Container is 2. No limit is specified"]),
        (
            {"requests": {"memory": "1Mi"}},
            {"min": {"memory": "1Gi"}},
            ["minimum memory usage per Container is 1Gi, but request is 1Mi"],
        ),
        (
            {"requests": {"cpu": "1"}, "limits": {"cpu": "4"}},
            {"maxLimitRequestRatio": {"cpu": "2"}},
            ["cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000"],
        ),
    ],
)
def test_what_is_not_allowed_is_told_with_numbers(resources, limits, complaints):
    assert list(limit_range.pod_complaints(pod(**resources), of(**limits))) == complaints


def test_a_pod_is_the_sum_of_its_containers():
    found = pod(limits={"cpu": "2"})
    found["spec"]["containers"] *= 2
    assert list(limit_range.pod_complaints(found, of("Pod", max={"cpu": "3"}))) == [
        "maximum cpu usage per Pod is 3, but limit is 4",
        "maximum cpu usage per Pod is 3, but request is 4",
    ]


def test_claims():
    claim = {"spec": {"resources": {"requests": {"storage": "5Gi"}}}}
    assert list(limit_range.claim_complaints(claim, of("PersistentVolumeClaim", max={"storage": "1Gi"}))) == [
        "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 5Gi"
    ]


def test_limits_are_defaults_too():
    stored = of(
        max={"cpu": "2", "memory": "4Gi"}, min={"cpu": "1", "ephemeral-storage": "1Gi"}, default={"cpu": "1500m"}
    )
    KIND.rules.default(stored)
    (item,) = stored["spec"]["limits"]
    assert item["default"] == {"cpu": "1500m", "memory": "4Gi"}
    assert item["defaultRequest"] == {"cpu": "1500m", "memory": "4Gi", "ephemeral-storage": "1Gi"}
