from typing import Any

from sidings.queue import resource_limits


def pod_sets(requests: dict[str, str], limits: dict[str, str] | None = None) -> list[dict[str, Any]]:
    container = {"name": "c", "resources": {"requests": requests, "limits": limits or {}}}
    return [{"template": {"spec": {"containers": [container]}}}]


def limit_range(type_: str, **bounds: dict[str, str]) -> dict[str, Any]:
    return {"spec": {"limits": [{"type": type_, **bounds}]}}


def test_requests_above_limits() -> None:
    assert resource_limits.over_limits(pod_sets({"cpu": "2", "memory": "1Gi"}, {"cpu": "1", "memory": "1024Mi"})) == (
        "resources validation failed: spec.podSets[0].template.spec.containers[0]: Invalid value:"
        ' ["cpu"]: requests must not exceed its limits'
    )
    assert resource_limits.over_limits(pod_sets({"cpu": "1"}, {"cpu": "1"})) == ""
    assert resource_limits.over_limits(pod_sets({"cpu": "1"})) == ""


def test_the_lowest_maximum_of_the_ranges_counts() -> None:
    ranges = [limit_range("Container", max={"cpu": "4"}), limit_range("Container", max={"cpu": "1"})]
    assert resource_limits.out_of_ranges(pod_sets({"cpu": "2"}), ranges) == (
        "resources didn't satisfy LimitRange constraints: spec.podSets[0].template.spec.containers[0]: Invalid value:"
        ' ["cpu"]: requests must not be above the limitRange max'
    )
    assert resource_limits.out_of_ranges(pod_sets({"cpu": "1"}), ranges) == ""


def test_pods_have_ranges_of_their_own() -> None:
    told = resource_limits.out_of_ranges(pod_sets({"cpu": "1"}), [limit_range("Pod", min={"cpu": "2"})])
    assert told.endswith(
        'spec.podSets[0].template.spec: Invalid value: ["cpu"]: requests must not be below the limitRange min'
    )


def test_several_complaints_stand_in_brackets() -> None:
    ranges = [limit_range("Container", max={"cpu": "1"}), limit_range("Pod", max={"cpu": "1"})]
    told = resource_limits.out_of_ranges(pod_sets({"cpu": "2"}), ranges)
    assert told.startswith("resources didn't satisfy LimitRange constraints: [spec.podSets[0]")
    assert told.endswith("max]")
