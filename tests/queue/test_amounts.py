import pytest

from sidings.queue import amounts


@pytest.mark.parametrize(
    ("resource", "value", "whole", "text"),
    [
        ("cpu", "1500m", 1500, "1500m"),
        ("cpu", "2", 2000, "2"),
        ("memory", "512Mi", 536870912, "512Mi"),
        ("memory", "1G", 10**9, "1000000000"),
        ("nvidia.com/gpu", "8", 8, "8"),
        ("pods", 1000, 1000, "1k"),
    ],
)
def test_read_and_written(resource: str, value: str | int, whole: int, text: str) -> None:
    assert amounts.whole(resource, value) == whole
    assert amounts.text(resource, whole) == text


def test_cpu_in_cores_and_the_rest_as_it_is() -> None:
    assert [amounts.in_units(name, 1500) for name in ("cpu", "memory", "pods")] == [1.5, 1500.0, 1500.0]


def test_fractions_are_rounded_up() -> None:
    assert amounts.whole("cpu", "100u") == 1
