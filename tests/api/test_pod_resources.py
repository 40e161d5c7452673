from decimal import Decimal

import pytest

from sidings.api import pod_resources


def container(requests=None, limits=None, **others):
    resources = {name: value for name, value in (("requests", requests), ("limits", limits)) if value}
    return {"name": "c", "resources": resources, **others}


def test_containers_add_up_and_limits_stand_in_for_requests():
    spec = {"containers": [container({"cpu": "500m"}, {"cpu": "1", "nvidia.com/gpu": "1"}), container({"cpu": "1"})]}
    assert pod_resources.of_spec(spec) == {"cpu": Decimal("1.5"), "nvidia.com/gpu": Decimal(1)}


def test_the_largest_init_container_counts_if_it_is_larger():
    spec = {
        "containers": [container({"cpu": "1", "memory": "1Gi"})],
        "initContainers": [container({"cpu": "3"}), container({"cpu": "2", "memory": "256Mi"})],
    }
    assert pod_resources.of_spec(spec) == {"cpu": Decimal(3), "memory": Decimal(2**30)}


def test_a_sidecar_adds_to_everything_after_it():
    sidecar = container({"cpu": "1"}, restartPolicy="Always")
    spec = {"containers": [container({"cpu": "1"})], "initContainers": [sidecar, container({"cpu": "4"})]}
    assert pod_resources.of_spec(spec) == {"cpu": Decimal(5)}
    spec["initContainers"].reverse()
    assert pod_resources.of_spec(spec) == {"cpu": Decimal(4)}


def test_overhead_comes_on_top():
    spec = {"containers": [container({"cpu": "1"})], "overhead": {"cpu": "250m", "memory": "1Mi"}}
    assert pod_resources.of_pod({"spec": spec}) == {"cpu": Decimal("1.25"), "memory": Decimal(2**20)}


def test_pod_level_requests_replace_the_sum():
    spec = {"containers": [container({"cpu": "1"})], "resources": {"requests": {"cpu": "3"}}}
    assert pod_resources.of_spec(spec) == {"cpu": Decimal(3)}


@pytest.mark.parametrize(
    ("containers", "expected"),
    [
        ([container()], "BestEffort"),
        ([container(limits={"nvidia.com/gpu": "1"})], "BestEffort"),
        ([container({"cpu": "1"})], "Burstable"),
        ([container(limits={"cpu": "1", "memory": "1Gi"})], "Guaranteed"),
        ([container({"cpu": "1000m", "memory": "1Gi"}, {"cpu": "1", "memory": "1024Mi"})], "Guaranteed"),
        ([container(limits={"cpu": "1", "memory": "1Gi"}), container()], "Burstable"),
        ([container({"cpu": "0"})], "BestEffort"),
    ],
)
def test_quality_of_service(containers, expected):
    assert pod_resources.qos_class({"containers": containers}) == expected
